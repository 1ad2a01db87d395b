import { createHmac } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import { Webhook as SvixWebhook } from 'svix';
import { newSecret } from '../../src/webhooks/signature.ts';
import { type Channel, type Tenant, useApp } from '../support/app.ts';
import { bodyFor, inboundFrom } from '../support/provider-body.ts';
import { type Delivered, type Receiver, startReceiver } from '../support/receiver.ts';
import { waitFor } from '../support/wait-for.ts';

const app = useApp({ workers: true });
let receiver: Receiver;
let tenant: Tenant;
let channel: Channel;
let secret: string;

type Signed = { raw: string; headers: Record<string, string> };
const signedOf = ({ raw, headers }: Delivered): Signed => ({ raw, headers: headers as Record<string, string> });

/** As the specification has it, with no library: the newest of svix stands on standardwebhooks. */
function verifyByHand(key: string, { raw, headers }: Signed): unknown {
  const timestamp = Number(headers['webhook-timestamp']);
  if (Math.abs(Date.now() / 1_000 - timestamp) > 300) throw new Error('The timestamp is too far from now');
  const signed = `${headers['webhook-id']}.${timestamp}.${raw}`;
  const wanted = createHmac('sha256', Buffer.from(key.replace(/^whsec_/, ''), 'base64'))
    .update(signed)
    .digest('base64');
  if (!headers['webhook-signature']!.split(' ').includes(`v1,${wanted}`)) throw new Error('No signature fits');
  return JSON.parse(raw);
}

const verifiers: [string, (key: string, signed: Signed) => unknown][] = [
  ['standardwebhooks', (key, { raw, headers }) => new StandardWebhook(key).verify(raw, headers)],
  ['svix', (key, { raw, headers }) => new SvixWebhook(key).verify(Buffer.from(raw, 'utf8'), headers)],
  ['the specification', verifyByHand],
];

beforeEach(async () => {
  receiver = await startReceiver();
  tenant = await app.organization();
  channel = await app.connect({ tenant });
  await app.idle();
  const body = { url: receiver.url, event_types: ['message.new', 'contact.created', 'conversation.created'] };
  secret = (await app.call('webhooks.endpoints.create', { key: tenant.key, body })).body.secret;
});
afterEach(() => receiver.close());

/** A person with a name outside ASCII writes; the deliveries of it that reach the receiver. */
async function delivered(count: number): Promise<Delivered[]> {
  const phone = app.phone();
  const named = { ...inboundFrom(phone), contacts: [{ profile: { name: 'Žofie 💙 \u2028 "/"' }, wa_id: phone }] };
  expect((await app.webhook(bodyFor(channel, named))).status).toBe(200);
  return waitFor(`${count} deliveries`, () => receiver.received.length >= count && [...receiver.received]);
}

describe.each(verifiers)('%s', (_name, verify) => {
  test('takes every delivery, and reads in it what was sent', async () => {
    const all = await delivered(3);
    expect(all.map(({ body }) => body.type).sort()).toEqual(['contact.created', 'conversation.created', 'message.new']);
    for (const one of all) expect(verify(secret, signedOf(one))).toEqual(one.body);
  });

  test('refuses what was touched, is old, or is signed with another secret', async () => {
    const [first] = await delivered(1);
    const { raw, headers } = signedOf(first!);
    const changed = (header: string, value: string) => ({ raw, headers: { ...headers, [header]: value } });
    const later = String(Number(headers['webhook-timestamp']) + 1);
    const tries: [string, string, Signed][] = [
      ['a body with one more space', secret, { raw: `${raw} `, headers }],
      ['a body with another word', secret, { raw: raw.replace('"type"', '"tYpe"'), headers }],
      ['another secret', newSecret(), { raw, headers }],
      ['another id', secret, changed('webhook-id', crypto.randomUUID())],
      ['another time', secret, changed('webhook-timestamp', later)],
      ['no time', secret, changed('webhook-timestamp', 'now')],
      ['another signature', secret, changed('webhook-signature', `v1,${Buffer.alloc(32).toString('base64')}`)],
      [
        'a signature of another version',
        secret,
        changed('webhook-signature', headers['webhook-signature']!.replace('v1,', 'v2,')),
      ],
    ];
    const taken = tries.filter(([, key, signed]) => passes(() => verify(key, signed))).map(([what]) => what);
    expect(taken).toEqual([]);
    expect(verify(secret, { raw, headers })).toEqual(first!.body);
    // The same bytes with a good signature, six minutes later and six minutes too early.
    for (const minutes of [6, -6]) {
      const clock = jest.spyOn(Date, 'now').mockReturnValue(Date.now() + minutes * 60_000);
      const isTaken = passes(() => verify(secret, { raw, headers }));
      clock.mockRestore();
      expect([minutes, isTaken]).toEqual([minutes, false]);
    }
  });
});

function passes(work: () => unknown): boolean {
  try {
    work();
    return true;
  } catch {
    return false;
  }
}

test('the next try of a delivery: the same id and bytes, a time of its own, verified by all', async () => {
  receiver.answer({ status: 500 }, { status: 500 }, { status: 500 }, {});
  const startedAt = Math.floor(Date.now() / 1_000);
  const all = await delivered(6);
  const byId = Map.groupBy(all, ({ headers }) => headers['webhook-id']);
  expect([...byId.values()].map((tries) => tries.length)).toEqual([2, 2, 2]);
  for (const [first, second] of byId.values()) {
    expect(second!.raw).toBe(first!.raw);
    expect(first!.headers['webhook-id']).toBe(first!.body.id);
    const [before, after] = [first!, second!].map(({ headers }) => Number(headers['webhook-timestamp']));
    expect(before!).toBeGreaterThanOrEqual(startedAt);
    expect(after!).toBeGreaterThan(before!);
    expect(second!.headers['webhook-signature']).not.toBe(first!.headers['webhook-signature']);
    for (const [, verify] of verifiers)
      for (const one of [first!, second!]) expect(verify(secret, signedOf(one))).toEqual(one.body);
  }
});
