import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { ownRows } from '../../../src/platform/database/own.ts';
import { applyMessage } from '../../../src/provider-webhooks/apply-message.ts';
import { applySeen, lookAtStatuses } from '../../../src/provider-webhooks/apply-status.ts';
import { keepStatuses, keptLocks } from '../../../src/provider-webhooks/keep-status.ts';
import type { InboundStatus } from '../../../src/providers/messaging-app/inbound.ts';
import { type ConversationMade, conversation } from '../../support/factories/conversation.ts';
import { message } from '../../support/factories/message.ts';
import { newId, statusOf } from '../../support/provider-body.ts';
import { openProviderHouse, type ProviderHouse } from '../../support/provider-house.ts';
import { roundTrips, turns } from '../../support/turns.ts';
import { jobRows, makeDue } from '../../support/work/jobs.ts';
import { messageRows } from '../../support/work/messages.ts';
import { unmatchedStatusRows } from '../../support/work/provider-webhooks.ts';
import { ago, ahead } from '../../support/work/rows.ts';

/** A status that came before its message had the provider's id. */
let house: ProviderHouse;
let talk: ConversationMade;
beforeAll(async () => {
  house = await openProviderHouse();
});
afterAll(() => house.close());
beforeEach(async () => {
  await house.reset('messages', 'events', 'unmatched_statuses');
  talk = await conversation(house.em(), house.organizationId);
});

const sending = () => message(house.em(), house.organizationId, talk, { status: 'sending' });
const statusIn = (providerMessageId: string, status: InboundStatus['status'] = 'delivered'): InboundStatus => ({
  kind: 'status',
  phoneNumberId: talk.channel.phoneNumberId,
  providerMessageId,
  status,
  at: new Date(),
});
async function receive(...statuses: object[]) {
  const { jobId } = await house.received(talk, statuses);
  await house.apply(jobId);
}
/** Runs the job of every kept status that is due; how many there were. */
async function matchDue() {
  const dueSoon = { name: 'provider-webhooks.match-status', run_at: { $lt: ahead('20 ms') } };
  const due = await jobRows.all(house, dueSoon, ['id', 'run']);
  await Promise.all(due.map((one) => house.match(one)));
  return due.length;
}

test('it waits for the answer to the send, which dispatches its job at once', async () => {
  const [id, providerId] = [await sending(), newId()];
  await receive(statusOf(providerId, 'delivered'));
  const [kept] = await house.kept(providerId);
  expect(kept!.state).toBe('waiting');
  const job = (await house.jobOf(kept!.id))!;
  expect(job.run_in).toBeGreaterThan(590);
  expect(await matchDue()).toBe(0);
  house.dispatched.length = 0;

  await house.answered(talk, id, providerId);
  expect(house.dispatched).toEqual([expect.objectContaining({ id: job.id, run: job.run + 1, delay_ms: 0 })]);
  expect(await house.match({ id: job.id, run: job.run + 1 })).toEqual({ kind: 'done' });
  expect((await house.messageState(id)).status).toBe('delivered');
  expect(await house.told(id)).toEqual(['message.sent', 'message.status_update sent', 'message.status_update delivered']);
  expect((await house.kept(providerId))[0]!.state).toBe('matched');
  expect(await house.findings()).toEqual([]);
});

test('the run that the queue still holds for ten minutes does nothing any more', async () => {
  const [id, providerId] = [await sending(), newId()];
  await receive(statusOf(providerId, 'delivered'));
  const job = (await house.jobOf((await house.kept(providerId))[0]!.id))!;
  await house.answered(talk, id, providerId);
  expect(await house.match(job)).toEqual({ kind: 'stale' });
  expect(await matchDue()).toBe(1);
  expect(await house.match(job)).toEqual({ kind: 'stale' });
  expect(await house.told(id)).toEqual(['message.sent', 'message.status_update sent', 'message.status_update delivered']);
});

test('several of one message are applied together, in the order of their arrival', async () => {
  const [id, providerId] = [await sending(), newId()];
  for (const word of ['sent', 'delivered', 'read']) await receive(statusOf(providerId, word));
  await house.answered(talk, id, providerId);
  expect(await matchDue()).toBe(3);
  expect(await house.told(id)).toEqual([
    'message.sent',
    'message.status_update sent',
    'message.status_update delivered',
    'message.status_update read',
  ]);
  expect((await house.kept(providerId)).map(({ state }) => state)).toEqual(['matched', 'matched', 'matched']);
  expect(await house.rows()).toEqual([]);
});

test('an answer without kept statuses costs the send no round trip more', async () => {
  const [id, providerId] = [await sending(), newId()];
  // begin with both locks, the message, the events, commit
  expect(await house.trips.during(() => house.answered(talk, id, providerId))).toBeLessThanOrEqual(5);
  expect(house.dispatched).toEqual([]);
});

test("another channel's answer with the same id wakes nothing", async () => {
  const other = await conversation(house.em(), house.organizationId);
  const id = await message(house.em(), house.organizationId, other, { status: 'sending' });
  const providerId = newId();
  await receive(statusOf(providerId, 'delivered'));
  await house.answered(other, id, providerId);
  expect(await matchDue()).toBe(0);
});

test('another status, with our own id, makes the id known too', async () => {
  const [id, providerId] = [await sending(), newId()];
  await receive(statusOf(providerId, 'delivered'));
  await receive(statusOf(providerId, 'sent', { biz_opaque_callback_data: id }));
  expect(await matchDue()).toBe(1);
  expect((await house.messageState(id)).status).toBe('delivered');
});

test('so does a message that the owner sends from the phone app', async () => {
  const providerId = newId();
  await receive(statusOf(providerId, 'delivered'));
  const { secrets, config } = house.deps;
  await applyMessage({ transact: house.transact, secrets, stopWords: config.stopWords }, talk.channel.id, {
    kind: 'message',
    phoneNumberId: talk.channel.phoneNumberId,
    providerMessageId: providerId,
    at: new Date(),
    type: 'text',
    content: { body: 'From my phone' },
    from: { phoneId: talk.contact.phone.slice(1) },
    direction: 'outbound',
  });
  expect(await matchDue()).toBe(1);
  const [row] = await messageRows.all(house, { provider_message_id: providerId }, ['status']);
  expect(row).toEqual({ status: 'delivered' });
});

test('after ten minutes it is dropped; sooner its job waits for the rest of them', async () => {
  const providerId = newId();
  await receive(statusOf(providerId, 'delivered'));
  const [kept] = await house.kept(providerId);
  const job = (await house.jobOf(kept!.id))!;
  await makeDue(house, job.id);
  await unmatchedStatusRows.change(house, {}, { received_at: ago('4 min') });
  expect(await house.match(job)).toMatchObject({ kind: 'wait' });
  expect((await house.jobOf(kept!.id))!.run_in).toBeGreaterThan(350);
  await makeDue(house, job.id);
  await unmatchedStatusRows.change(house, {}, { received_at: ago('11 min') });
  // Parked meanwhile, with a number of its own.
  expect(await house.match((await house.jobOf(kept!.id))!)).toEqual({ kind: 'done' });
  expect((await house.kept(providerId))[0]!.state).toBe('dropped');
  expect(await house.jobOf(kept!.id)).toBeUndefined();
});

test('a message that got its id in a way nobody told of is found at the end of the ten minutes', async () => {
  const [id, providerId] = [await sending(), newId()];
  await receive(statusOf(providerId, 'delivered'));
  const job = (await house.jobOf((await house.kept(providerId))[0]!.id))!;
  await messageRows.change(house, id, { provider_message_id: providerId });
  await unmatchedStatusRows.change(house, {}, { received_at: ago('11 min') });
  await makeDue(house, job.id);
  await house.match(job);
  expect((await house.messageState(id)).status).toBe('delivered');
});

describe('the answer and the status at the same time', () => {
  const own = () => ownRows(house.database, house.organizationId);

  test('the answer commits between the look and the write: nothing is kept, the status is applied', async () => {
    const [id, providerId] = [await sending(), newId()];
    const looked = lookAtStatuses(own(), [statusIn(providerId)], { onlyChannelId: null });
    let looks = 0;
    const look = async (attempt: number) => {
      const seen = await looked.look(attempt);
      looks += 1;
      if (looks === 1) await house.answered(talk, id, providerId);
      return seen;
    };
    await house.transact({ ...looked, look }, applySeen);
    expect(looks).toBe(2);
    expect(await house.kept(providerId)).toEqual([]);
    expect((await house.messageState(id)).status).toBe('delivered');
  });

  test('the answer arrives while the status is being kept: it waits, and finds it', async () => {
    const [id, providerId] = [await sending(), newId()];
    const unmatched = [{ channelId: talk.channel.id, status: statusIn(providerId) }];
    let answering: Promise<unknown> | undefined;
    let isAnswered = false;
    await house.transact({ locks: keptLocks(unmatched) }, async ({ own: tx }) => {
      answering = house.answered(talk, id, providerId).then(() => {
        isAnswered = true;
      });
      await roundTrips((text) => house.sql(text));
      expect(isAnswered).toBe(false);
      keepStatuses(tx, unmatched);
    });
    await answering;
    expect(await matchDue()).toBe(1);
    expect((await house.messageState(id)).status).toBe('delivered');
  });

  test('in any order, many times: every status is applied', async () => {
    const ids = await Promise.all(Array.from({ length: 60 }, async () => ({ id: await sending(), providerId: newId() })));
    const bodies: { jobId: string }[] = [];
    for (const { providerId } of ids) bodies.push(await house.received(talk, [statusOf(providerId, 'delivered')]));
    await Promise.all(
      ids.flatMap(({ id, providerId }, index) => [
        turns((7 * index) % 20).then(() => house.apply(bodies[index]!.jobId)),
        turns((11 * index) % 20).then(() => house.answered(talk, id, providerId)),
      ]),
    );
    await matchDue();
    for (const { id } of ids) expect((await house.messageState(id)).status).toBe('delivered');
    expect(await house.rows()).toEqual([]);
    expect(await house.findings()).toEqual([]);
  });
});
