import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { type Tenant, useApp } from '../support/app.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { roundTrips } from '../support/turns.ts';
import { waitFor } from '../support/wait-for.ts';
import { poolRows } from '../support/work/jobs.ts';
import { messageRows } from '../support/work/messages.ts';

const share = 3;
const hangMs = 14_000;
/** Much less than what a hanging provider is given. */
const soonMs = 10_000;
/** The same of a receiver; a second attempt takes 5 s by itself. */
const arrivesMs = 30_000;

const app = useApp({
  workers: true,
  env: {
    WEBHOOKS_CONCURRENCY: String(share),
    WEBHOOK_RETRIES_CONCURRENCY: String(share),
    MESSAGES_CONCURRENCY: String(share),
    CONCURRENCY_OPEN_FACTOR: '3',
    WEBHOOK_TIMEOUT_MS: '40000',
    PROVIDER_TIMEOUT_MS: '20000',
    SWEEP_INTERVAL_MS: '500',
  },
});

let hostile: Tenant;
let victim: Tenant;
let busy: Receiver;
let well: Receiver;
let letGo: () => void;
let never: Promise<void>;

beforeEach(async () => {
  [hostile, victim] = [await app.organization(), await app.organization()];
  [busy, well] = [await startReceiver(), await startReceiver()];
  never = new Promise((resolve) => {
    letGo = resolve;
  });
});
afterEach(async () => {
  letGo();
  // What was hanging has its answer, and nothing more begins, so that the next test's worker is free.
  await hold(hostile);
  await Promise.all([busy.close(), well.close()]);
});

const hold = ({ organizationId }: Tenant) =>
  poolRows.change(app, { organization_id: organizationId }, { held_until: 'infinity' });
const listen = async ({ key }: Tenant, { url }: Receiver) =>
  (await app.call('webhooks.endpoints.create', { key, body: { url, event_types: ['contact.created'] } })).body.id as string;
/** So many events of the organization. */
async function happen({ key }: Tenant, count: number) {
  for (let index = 0; index < count; index += 1) {
    const { status } = await app.call('contacts.create', { key, body: { phone_number: `+${app.phone()}` } });
    expect(status).toBe(201);
  }
}
const arrived = (receiver: Receiver, count: number, withinMs = arrivesMs) =>
  waitFor(`${count} webhooks`, () => receiver.received.length >= count, withinMs);

describe('an endpoint that hangs', () => {
  test('has no more than its share of a worker, with all of its organization’s endpoints, and the others pass', async () => {
    busy.answer({ after: never });
    for (let index = 0; index < 4; index += 1) await listen(hostile, busy);
    await listen(victim, well);
    await happen(hostile, 5);
    await arrived(busy, share);
    for (let index = 0; index < 3; index += 1) {
      await happen(victim, 1);
      await arrived(well, index + 1);
    }
    expect(busy.received).toHaveLength(share);
  });

  test('at its later attempts holds up no one else’s later attempts', async () => {
    busy.answer(...Array.from({ length: 8 }, () => ({ status: 500 })), { after: never });
    well.answer({ status: 500 }, {});
    await listen(hostile, busy);
    await listen(hostile, busy);
    await listen(victim, well);
    await happen(hostile, 4);
    await arrived(busy, 8 + share);
    await happen(victim, 1);
    await arrived(well, 2);
    expect(busy.received).toHaveLength(8 + share);
  });
});

test('a flood of one organization lets another’s first event pass before its own last', async () => {
  busy.answer({ delayMs: 20 });
  const ids: string[] = [];
  for (let index = 0; index < 5; index += 1) ids.push(await listen(hostile, busy));
  await listen(victim, well);
  const held = (until: string | null) =>
    poolRows.change(app, { id: { $in: ids.map((id) => `endpoint:${id}`) } }, { held_until: until });
  await held('infinity');
  await happen(hostile, 100);
  await held(null);
  await arrived(busy, 20);
  await happen(victim, 1);
  await arrived(well, 1);
  expect(busy.received.length).toBeLessThan(450);
  // All of it: nobody waits for that, and a busy machine takes its time.
  await arrived(busy, 500, 120_000);
});

test('a provider that hangs for one channel holds up no other organization’s sends', async () => {
  const [slow, quick] = [await app.connect({ tenant: hostile }), await app.connect({ tenant: victim })];
  await app.idle();
  await app.fault(slow, { kind: 'delay', delay_ms: hangMs, times: 100 });
  for (let index = 0; index < 4 * share; index += 1) {
    const { phone } = await app.conversation(slow);
    expect((await app.text(slow, phone)).status).toBe(201);
  }
  const isSending = () => messageRows.count(app, { channel_id: slow.id, status: 'sending' });
  await waitFor('the first sends', async () => (await isSending()) >= share, soonMs);
  const { phone } = await app.conversation(quick);
  const { id } = (await app.text(quick, phone)).body.data;
  await waitFor('the other organization’s message', async () => (await app.message(id)).status !== 'queued', soonMs);
  await roundTrips((text) => app.rows(text));
  expect(await isSending()).toBe(share);
  await hold(hostile);
  await waitFor('the answers of the provider', async () => (await isSending()) === 0, 3 * hangMs);
});
