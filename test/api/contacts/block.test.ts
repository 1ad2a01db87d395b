import { beforeAll, describe, expect, test } from '@jest/globals';
import { type Channel, useApp } from '../../support/app.ts';
import { storedChannels } from '../../support/stored/channels.ts';
import { storedBlocks, storedContacts } from '../../support/stored/contacts.ts';
import { storedMessages } from '../../support/stored/messaging.ts';
import { waitFor } from '../../support/wait-for.ts';

const app = useApp({ workers: true });
let channel: Channel;

beforeAll(async () => {
  channel = await app.connect();
});

type Who = { phone?: string; user_id?: string };
type Options = { on?: Channel; wait?: boolean; headers?: Record<string, string> };
const ask =
  (operationId: string) =>
  (who: Who, { on = channel, wait = false, headers = {} }: Options = {}) =>
    app.call(operationId, { body: { channel_id: on.id, ...who }, headers: { ...headers, ...(wait && { prefer: 'wait=10' }) } });
const block = ask('contacts.block');
const unblock = ask('contacts.unblock');
const phone = () => `+${app.phone()}`;
const requests = async (on = channel) =>
  (await app.control('GET', `/requests?path=${on.phoneNumberId}/block_users`)).requests.map(
    ({ method, body, status }: { method: string; body: { block_users: object[] }; status: number }) => [
      method,
      body.block_users[0],
      status,
    ],
  );
const fault = (on: Channel, more: object) =>
  app.control('POST', '/faults', { match: { path: `${on.phoneNumberId}/block_users` }, ...more });
const ended = (id: string) =>
  waitFor('the operation', async () => {
    const { body } = await app.call('operations.get', { params: { operationID: id } });
    return (body.status === 'succeeded' || body.status === 'failed') && body;
  });
const rowOf = (address: string) =>
  storedBlocks.one(app, { organization_id: app.tenant.organizationId, address: address.replace('+', '') });

describe('block', () => {
  test('pending with its operation; then blocked, without another one', async () => {
    const own = await app.connect();
    const who = { phone: phone() };
    const first = await block(who, { on: own });
    expect([first.status, first.body]).toEqual([200, { status: 'pending' }]);
    const id = first.headers.get('operation-id')!;
    expect(await ended(id)).toMatchObject({ name: 'contacts.block', status: 'succeeded', subject: { type: 'contact_block' } });
    const again = await block(who, { on: own });
    expect([again.body, again.headers.get('operation-id')]).toEqual([{ status: 'blocked' }, null]);
    expect(await requests(own)).toEqual([['POST', { user: who.phone }, 200]]);
    const { contact_id } = await rowOf(who.phone);
    expect((await app.call('contacts.get-by-phone', { params: who })).body.data.id).toBe(contact_id);
    const events = (await app.events(contact_id)).map(({ type, data }) => [type, data.changed]);
    expect(events).toEqual([
      ['contact.created', ['phone_number']],
      ['contact.updated', ['phone_number']],
      ['contact.updated', ['blocks']],
    ]);
  });

  test('of somebody known, by their user id; with both the phone is asked for, and both are kept', async () => {
    const own = await app.connect();
    const known = await app.conversation(own);
    const userId = `US.${known.phone}`;
    expect((await block({ user_id: userId }, { on: own, wait: true })).body).toEqual({ status: 'blocked' });
    expect((await rowOf(userId)).contact_id).toBe(known.contactId);
    const both = { phone: phone(), user_id: 'US.777' };
    expect((await block(both, { on: own, wait: true })).body).toEqual({ status: 'blocked' });
    expect(await rowOf(both.phone)).toMatchObject({ phone: both.phone.slice(1), user_id: 'US.777' });
    expect((await requests(own)).map(([, who]: unknown[]) => who)).toEqual([{ user_id: userId }, { user: both.phone }]);
    // Either of them finds the block again; another phone is another address to block.
    for (const who of [{ user_id: 'US.777' }, { phone: both.phone }, both])
      expect((await block(who, { on: own })).body).toEqual({ status: 'blocked' });
    const other = { phone: phone(), user_id: 'US.777' };
    expect((await block(other, { on: own, wait: true })).body).toEqual({ status: 'blocked' });
    expect((await requests(own)).at(-1)).toEqual(['POST', { user: other.phone }, 200]);
    expect((await rowOf(both.phone)).phone).toBe(both.phone.slice(1));
  });

  test('phone and user id are one person where the provider said so', async () => {
    const own = await app.connect();
    const number = app.phone();
    await app.control('POST', '/inbound', {
      phone_number_id: own.phoneNumberId,
      message: { text: { body: 'hi' } },
      contact: { wa_id: number, user_id: `US.${number}` },
    });
    await waitFor('the message', async () => (await storedMessages.count(app, { from_phone: number })) > 0);
    await block({ phone: `+${number}` }, { on: own, wait: true });
    expect((await unblock({ user_id: `US.${number}` }, { on: own, wait: true })).body).toEqual({ status: 'unblocked' });
    expect(await rowOf(number)).toMatchObject({ status: 'unblocked', user_id: `US.${number}`, blocked_at: null });
  });

  test('phone and user id of two people: the phone decides who', async () => {
    const own = await app.connect();
    const [one, two] = [await app.conversation(own), await app.conversation(own)];
    const both = { phone: `+${two.phone}`, user_id: `US.${one.phone}` };
    expect((await block(both, { on: own, wait: true })).body).toEqual({ status: 'blocked' });
    expect((await rowOf(both.phone)).contact_id).toBe(two.contactId);
    expect(await requests(own)).toEqual([['POST', { user: both.phone }, 200]]);
  });

  test('asked again while it is under way it is the same operation', async () => {
    const own = await app.connect();
    const who = { phone: phone() };
    await fault(own, { kind: 'delay', delay_ms: 1_500 });
    const replies = [await block(who, { on: own }), await block(who, { on: own })];
    expect(replies.map(({ body }) => body.status)).toEqual(['pending', 'pending']);
    const waited = await block(who, { on: own, wait: true });
    expect([waited.body, waited.headers.get('preference-applied')]).toEqual([{ status: 'blocked' }, 'wait=10']);
    expect(new Set([...replies, waited].map(({ headers }) => headers.get('operation-id'))).size).toBe(1);
    expect(await requests(own)).toHaveLength(1);
  });

  test('ten at once are one block of one contact', async () => {
    const own = await app.connect();
    const who = { phone: phone(), user_id: `US.${app.phone()}` };
    const replies = await Promise.all(Array.from({ length: 10 }, () => block(who, { on: own, wait: true })));
    expect(new Set(replies.map(({ body }) => body.status))).toEqual(new Set(['blocked']));
    expect(await requests(own)).toHaveLength(1);
    expect(await storedContacts.count(app, { phone_number: who.phone })).toBe(1);
  });

  test('with a key it is replayed', async () => {
    const who = { phone: phone() };
    const headers = { 'idempotency-key': `block ${who.phone}` };
    const first = await block(who, { headers });
    await ended(first.headers.get('operation-id')!);
    const again = await block(who, { headers });
    expect([again.body, again.headers.get('idempotent-replayed')]).toEqual([{ status: 'pending' }, 'true']);
    expect(again.headers.get('operation-id')).toBe(first.headers.get('operation-id'));
  });
});

describe('a refusal', () => {
  test('of who has not written within 24 hours: 422 with the code for who waits, and it can be asked again', async () => {
    const own = await app.connect();
    const who = { phone: phone() };
    await app.control('POST', '/behaviour', { window: 'async' });
    const refused = await block(who, { on: own, wait: true });
    expect([refused.status, refused.body.error.code, refused.body.error.details[0].code]).toEqual([
      422,
      'provider_refused',
      '131047',
    ]);
    expect(refused.body.error.message).toContain('24 hours');
    expect(await rowOf(who.phone)).toMatchObject({ status: 'failed', failure: { provider_code: '131047' }, blocked_at: null });
    const operation = await ended(refused.headers.get('operation-id')!);
    expect(operation).toMatchObject({ status: 'failed', error: { provider_code: '131047' } });
    await app.control('POST', '/behaviour', { window: 'off' });
    const again = await block(who, { on: own, wait: true });
    expect([again.body, again.headers.get('operation-id') === operation.id]).toEqual([{ status: 'blocked' }, false]);
    expect((await rowOf(who.phone)).failure).toBeNull();
  });

  test('of the number itself, and when the list is full', async () => {
    const own = await app.connect();
    const display = (await storedChannels.one(app, own.id)).display_phone;
    await app.control('POST', '/behaviour', { block_limit: 0 });
    const full = await block({ phone: phone() }, { on: own, wait: true });
    await app.control('POST', '/behaviour', { block_limit: 64_000 });
    expect([full.status, full.body.error.details[0].code]).toEqual([422, '139101']);
    const self = await block({ phone: `+${display}` }, { on: own, wait: true });
    expect([self.status, self.body.error.details[0].code]).toEqual([422, '131021']);
  });

  test('of an unblock leaves the person blocked', async () => {
    const own = await app.connect();
    const who = { phone: phone() };
    await block(who, { on: own, wait: true });
    const { blocked_at } = await rowOf(who.phone);
    await fault(own, { kind: 'status', status: 403, code: 10 });
    const refused = await unblock(who, { on: own, wait: true });
    expect([refused.status, refused.body.error.details[0].code]).toEqual([422, '10']);
    expect(await rowOf(who.phone)).toMatchObject({ status: 'blocked', blocked_at, failure: { provider_code: '10' } });
    expect((await unblock(who, { on: own, wait: true })).body).toEqual({ status: 'unblocked' });
  });

  test('of the whole channel stops it, and the next one is a 409', async () => {
    const own = await app.connect();
    await fault(own, { kind: 'status', status: 401, code: 190 });
    const refused = await block({ phone: phone() }, { on: own, wait: true });
    expect([refused.status, refused.body.error.details[0].code]).toEqual([422, '190']);
    expect((await app.call('channels.get', { params: { channelID: own.id } })).body.status).toBe('auth_error');
    for (const change of [block, unblock]) {
      const { status, body } = await change({ phone: phone() }, { on: own });
      expect([status, body.error.code]).toEqual([409, 'conflict']);
    }
  });
});

test('a fault of the provider that may pass, or an answer that is lost: it is asked again', async () => {
  const faults = [
    { kind: 'status', status: 500, code: 139103 },
    { kind: 'status', status: 400, code: 139102 },
    { kind: 'drop_after' },
    { kind: 'drop_before' },
  ];
  const changed = faults.map(async (given) => {
    const own = await app.connect();
    const who = { phone: phone() };
    await fault(own, given);
    const { body } = await block(who, { on: own, wait: true });
    await fault(own, given);
    return [
      given,
      body,
      (await unblock(who, { on: own, wait: true })).body,
      (await requests(own)).map(([method]: unknown[]) => method),
    ];
  });
  const wanted = [{ status: 'blocked' }, { status: 'unblocked' }, ['POST', 'POST', 'DELETE', 'DELETE']];
  expect(await Promise.all(changed)).toEqual(faults.map((given) => [given, ...wanted]));
});

describe('unblock', () => {
  test('pending, then unblocked; nothing is asked again', async () => {
    const own = await app.connect();
    const who = { phone: phone() };
    await block(who, { on: own, wait: true });
    const first = await unblock(who, { on: own });
    expect(first.body).toEqual({ status: 'pending' });
    expect(await ended(first.headers.get('operation-id')!)).toMatchObject({ name: 'contacts.unblock', status: 'succeeded' });
    const again = await unblock(who, { on: own });
    expect([again.body, again.headers.get('operation-id')]).toEqual([{ status: 'unblocked' }, null]);
    expect((await requests(own)).map(([method]: unknown[]) => method)).toEqual(['POST', 'DELETE']);
    expect((await block(who, { on: own, wait: true })).body).toEqual({ status: 'blocked' });
  });

  test('of somebody who was never blocked here is asked of the provider', async () => {
    const own = await app.connect();
    const who = { phone: phone() };
    expect((await unblock(who, { on: own, wait: true })).body).toEqual({ status: 'unblocked' });
    expect(await requests(own)).toEqual([['DELETE', { user: who.phone }, 200]]);
  });

  test.each<[string, ('block' | 'unblock')[]]>([
    ['block and unblock', ['block', 'unblock']],
    ['block, unblock, block', ['block', 'unblock', 'block']],
    ['a block that changes its mind three times', ['block', 'unblock', 'block', 'unblock']],
  ])('%s before the first has been done: what was asked last holds', async (_what, changes) => {
    const own = await app.connect();
    const who = { phone: phone() };
    await fault(own, { kind: 'delay', delay_ms: 1_500 });
    const operations = [];
    for (const change of changes)
      operations.push((await ask(`contacts.${change}`)(who, { on: own })).headers.get('operation-id')!);
    for (const id of operations) expect((await ended(id)).status).toBe('succeeded');
    const isBlocked = changes.at(-1) === 'block';
    expect((await rowOf(who.phone)).status).toBe(isBlocked ? 'blocked' : 'unblocked');
    const methods = (await requests(own)).map(([method]: unknown[]) => method);
    expect(methods.at(-1)).toBe(isBlocked ? 'POST' : 'DELETE');
  });
});

describe('is refused', () => {
  test.each([
    ['neither phone nor user id', {}, undefined],
    ['a phone that is none', { phone: 'nobody' }, 'phone'],
    ['an empty user id', { user_id: '' }, 'user_id'],
    ['no channel', { channel_id: undefined, phone: '+16505551234' }, 'channel_id'],
    ['an empty channel', { channel_id: '', phone: '+16505551234' }, 'channel_id'],
    ['a field nobody knows', { phone: '+16505551234', reason: 'spam' }, 'reason'],
  ])('%s: 422, and nothing is stored', async (_what, body, field) => {
    const before = await app.counts();
    for (const operationId of ['contacts.block', 'contacts.unblock']) {
      const reply = await app.call(operationId, { body: { channel_id: channel.id, ...body } });
      expect([reply.status, reply.body.error.code]).toEqual([422, 'invalid_request']);
      if (field) expect(reply.body.error.details[0].field).toBe(field);
    }
    expect(await app.counts()).toEqual(before);
  });

  test('a channel that is malformed, missing or foreign: 404, and nothing is stored', async () => {
    const foreign = await app.connect({ tenant: await app.organization() });
    await app.idle();
    const before = await app.counts();
    for (const channel_id of ['x', '01932d5f-3a0e-7cc4-8f4e-0242ac120099', foreign.id]) {
      for (const operationId of ['contacts.block', 'contacts.unblock']) {
        const { status, body } = await app.call(operationId, { body: { channel_id, phone: '+16505551234' } });
        expect([status, body.error.message]).toEqual([404, 'Channel not found']);
      }
    }
    expect(await app.counts()).toEqual(before);
  });
});
