import { createHmac } from 'node:crypto';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { appSecret, type Channel, useApp, verifyToken } from '../../support/app.ts';
import { bodyFor, bodyOf, change, entry, inboundFrom, textFrom } from '../../support/provider-body.ts';
import { storedJobs } from '../../support/stored/api-jobs.ts';
import { storedChannels } from '../../support/stored/channels.ts';
import { storedIdentities } from '../../support/stored/contacts.ts';
import { storedProviderWebhooks } from '../../support/stored/messaging.ts';

const app = useApp();
let channel: Channel;
/** With a provider app of its own. */
let own: Channel;
const ownApp = { app_secret: 'secret-of-its-own-app', verify_token: 'token-of-its-own-app' };

beforeAll(async () => {
  channel = await app.connect();
  own = await app.connect({ tenant: await app.organization(), body: ownApp });
});

const stored = () =>
  storedProviderWebhooks.all(app, {}, { columns: ['organization_id', 'body', 'state'], orderBy: 'received_at' });
const keptOf = (row: { body: Buffer }) => JSON.parse(row.body.toString('utf8')) as { entryId: string; change: unknown }[];

describe('handshake', () => {
  const ask = (operationId: string, query: Record<string, string>, params = {}) =>
    app.call(operationId, { key: null, query, params });
  const right = { 'hub.mode': 'subscribe', 'hub.challenge': '1158201444', 'hub.verify_token': verifyToken };

  test('repeats the challenge, as text', async () => {
    const { status, text } = await ask('provider-webhooks.verify', right);
    expect([status, text]).toEqual([200, '1158201444']);
  });

  test.each([
    ['another token', { ...right, 'hub.verify_token': 'guess' }],
    ['no token', { 'hub.mode': 'subscribe', 'hub.challenge': '1' }],
    ['an empty mode', { ...right, 'hub.mode': 'unsubscribe' }],
    ['nothing', {}],
  ])('%s: 403', async (_what, query) => {
    expect((await ask('provider-webhooks.verify', query as Record<string, string>)).body.error.code).toBe('forbidden');
  });

  test('a channel with its own app has its own token', async () => {
    const params = { channelID: own.id };
    const { status, text } = await ask(
      'provider-webhooks.verify-channel',
      { ...right, 'hub.verify_token': ownApp.verify_token },
      params,
    );
    expect([status, text]).toEqual([200, '1158201444']);
    expect((await ask('provider-webhooks.verify-channel', right, params)).status).toBe(403);
    // One without an app of its own has no callback of its own either.
    expect((await ask('provider-webhooks.verify-channel', right, { channelID: channel.id })).status).toBe(403);
  });

  test.each(['01932d5f-3a0e-7cc4-8f4e-0242ac120005', 'x'])('channel %s: 404', async (channelID) => {
    expect((await ask('provider-webhooks.verify-channel', right, { channelID })).status).toBe(404);
    expect((await app.webhook(bodyFor(own, inboundFrom('1')), { path: `/${channelID}` })).status).toBe(404);
  });
});

describe('signature', () => {
  test('is over the raw bytes, whatever another serializer would write', async () => {
    const before = (await stored()).length;
    const text = JSON.stringify(bodyFor(channel, inboundFrom(app.phone(), { text: { body: 'zwölf 👍' } })))
      .replace(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .replaceAll('/', '\\/')
      .replace('{', '{ \n');
    expect((await app.webhook(text)).status).toBe(200);
    const [row] = (await stored()).slice(before);
    expect(JSON.stringify(keptOf(row!))).toContain('zwölf 👍');
  });

  test('in upper case it is the same', async () => {
    const body = JSON.stringify(bodyFor(channel, inboundFrom(app.phone())));
    const hex = createHmac('sha256', appSecret).update(body).digest('hex').toUpperCase();
    expect((await app.webhook(body, { signature: `sha256=${hex}` })).status).toBe(200);
  });

  test.each([
    ['of another secret', { secret: 'guess' }],
    ["of a channel's own app", { secret: ownApp.app_secret }],
    ['that is no hex', { signature: `sha256=${'z'.repeat(64)}` }],
    ['one byte short', { signature: `sha256=${'0'.repeat(62)}` }],
  ])('%s: 401, nothing stored', async (_what, how) => {
    const before = await app.counts();
    const { status, body } = await app.webhook(bodyFor(channel, inboundFrom(app.phone())), how);
    expect([status, body.error.code]).toEqual([401, 'unauthorized']);
    expect(await app.counts()).toEqual(before);
  });

  test('of the same body with one byte changed: 401', async () => {
    const text = JSON.stringify(bodyFor(channel, inboundFrom(app.phone())));
    const signature = `sha256=${createHmac('sha256', appSecret).update(text).digest('hex')}`;
    expect((await app.webhook(`${text} `, { signature })).status).toBe(401);
  });

  test("a channel's own app signs for that channel only", async () => {
    const before = (await stored()).length;
    const both = bodyOf(
      entry(channel, change(channel, inboundFrom(app.phone()))),
      entry(own, change(own, inboundFrom(app.phone()))),
    );
    const path = `/${own.id}`;
    expect((await app.webhook(both, { path })).status).toBe(401);
    expect((await app.webhook(both, { path, secret: ownApp.app_secret })).status).toBe(200);
    const rows = (await stored()).slice(before);
    expect(rows.map(({ organization_id }) => organization_id)).toEqual([own.tenant.organizationId]);
    expect(keptOf(rows[0]).map(({ entryId }) => entryId)).toEqual([own.wabaId]);
  });

  test("a channel's own callback is written with the connections of its organization, not of all such channels", async () => {
    const { database, ledger } = app.web.deps;
    const { onBehalfOf } = database;
    const { transact } = ledger;
    const holders: string[] = [];
    let writer: string | undefined;
    database.onBehalfOf = (key, work) => {
      holders.push(key);
      return onBehalfOf(key, work);
    };
    ledger.transact = ((...given: Parameters<typeof transact>) => {
      writer = holders.at(-1);
      return transact(...given);
    }) as typeof transact;
    try {
      const how = { path: `/${own.id}`, secret: ownApp.app_secret };
      expect((await app.webhook(bodyFor(own, inboundFrom(app.phone())), how)).status).toBe(200);
    } finally {
      database.onBehalfOf = onBehalfOf;
      ledger.transact = transact;
    }
    expect([holders[0], writer]).toEqual(['provider-webhooks.receive-channel', own.tenant.organizationId]);
  });

  test('a channel without an own app takes nothing at a callback of its own', async () => {
    const { status } = await app.webhook(bodyFor(channel, inboundFrom('1')), { path: `/${channel.id}` });
    expect(status).toBe(401);
  });
});

describe('whose it is', () => {
  test('of a batch over two organizations each keeps its own changes', async () => {
    const before = (await stored()).length;
    const [mine, theirs] = [app.phone(), app.phone()];
    const { status, body } = await app.webhook(
      bodyOf(
        entry(channel, change(channel, inboundFrom(mine)), change(channel, { statuses: [] })),
        entry(own, change(own, inboundFrom(theirs))),
      ),
    );
    expect([status, body]).toEqual([200, {}]);
    const rows = (await stored()).slice(before);
    const of = ({ tenant }: Channel) => rows.filter(({ organization_id }) => organization_id === tenant.organizationId);
    expect(of(channel).map((row) => keptOf(row).length)).toEqual([2]);
    expect(of(own).map((row) => keptOf(row).length)).toEqual([1]);
    expect(JSON.stringify(of(channel).map(keptOf))).not.toContain(theirs);
    expect(JSON.stringify(of(own).map(keptOf))).not.toContain(mine);
    for (const row of rows) {
      const [job] = await storedJobs.all(
        app,
        { name: 'provider-webhooks.apply', organization_id: row.organization_id },
        { columns: ['organization_id'] },
      );
      expect(job).toBeTruthy();
    }
  });

  test('a number nobody has: 200, one log line, nothing stored', async () => {
    const before = await app.counts();
    const since = app.log.lines.length;
    const { status, body } = await app.webhook(bodyFor({ phoneNumberId: '999', wabaId: '888' }, inboundFrom('1')));
    expect([status, body]).toEqual([200, {}]);
    expect(await app.counts()).toEqual(before);
    const warnings = app.log.lines.slice(since).filter(({ level }) => level >= 40);
    expect(warnings).toMatchObject([{ unknown: 1, kept: 0 }]);
    expect(app.requestLines(since)).toHaveLength(1);
  });

  test('a change for the account alone is for all its numbers, once an organization', async () => {
    const second = await app.connect();
    await storedChannels.change(app, second.id, { account_id: channel.wabaId });
    const before = (await stored()).length;
    await app.webhook(
      bodyOf(entry(channel, { field: 'message_template_status_update', value: { event: 'PAUSED', message_template_id: 1 } })),
    );
    expect((await stored()).slice(before).map((row) => keptOf(row).length)).toEqual([1]);
  });

  test('a NUL where the number stands is a number nobody has', async () => {
    const strange = { phoneNumberId: `${channel.phoneNumberId}\u0000`, wabaId: 'a\u0000' };
    expect((await app.webhook(bodyFor(strange, inboundFrom('1')))).status).toBe(200);
  });
});

describe('bodies', () => {
  test.each([
    ['no JSON', '{'],
    ['not text', Buffer.from([0xff, 0xfe, 0x00])],
    ['empty', ''],
    ['no object', '[]'],
    ['null', 'null'],
    ['without entries', '{"object": "x"}'],
    ['entries that are no list', '{"entry": {}}'],
  ])('%s: 400', async (_what, body) => {
    const before = await app.counts();
    const reply = await app.webhook(body);
    expect([reply.status, reply.body.error.code]).toEqual([400, 'bad_request']);
    expect(await app.counts()).toEqual(before);
  });

  test.each([
    ['no entry', { entry: [] }],
    ['entries that are nothing', { entry: [null, 5, 'x', {}] }],
    ['changes that are nothing', { entry: [{ id: '1', changes: [null, 5, [], 'x'] }] }],
    ['changes that are no list', { entry: [{ id: '1', changes: 'x' }] }],
  ])('%s: 200, for nothing is ours', async (_what, body) => {
    expect((await app.webhook(body)).status).toBe(200);
  });

  test('4 MiB at most', async () => {
    const sized = (bytes: number) => {
      const body = bodyFor(channel, { messages: [textFrom(app.phone(), { text: { body: '' } })] });
      const padding = bytes - JSON.stringify(body).length;
      return JSON.stringify(body).replace('"body":""', `"body":"${'x'.repeat(padding)}"`);
    };
    const before = (await stored()).length;
    expect((await app.webhook(sized(4 * 1024 * 1024))).status).toBe(200);
    const { status, body } = await app.webhook(sized(4 * 1024 * 1024 + 1));
    expect([status, body.error.code]).toEqual([413, 'payload_too_large']);
    expect((await stored()).length).toBe(before + 1);
  });

  test('with more values than a webhook of the provider can have: 413, before it is parsed', async () => {
    const before = await app.counts();
    const { status, body } = await app.webhook(`{"entry":[{"id":"1","changes":[${Array(100_000).fill(0).join(',')}]}]}`);
    expect([status, body.error]).toEqual([
      413,
      expect.objectContaining({ code: 'payload_too_large', message: 'The body has more than 100000 values' }),
    ]);
    expect(await app.counts()).toEqual(before);
  });

  test('of many entries of one number is stored as one row with no more changes than a webhook may have', async () => {
    const count = 20_000;
    const text = JSON.stringify(bodyOf(...Array(count).fill({ id: channel.wabaId, changes: [0] })));
    expect((await app.webhook(text)).status).toBe(200);
    expect(keptOf((await stored()).at(-1))).toHaveLength(1_001);
  });

  test('of one entry with a long id and many changes is kept no larger than it came', async () => {
    const since = app.log.lines.length;
    const id = 'x'.repeat(15_000);
    const known = { field: 'x', value: { metadata: { phone_number_id: channel.phoneNumberId } } };
    const text = JSON.stringify({ entry: [{ id, changes: Array(10_000).fill(known) }] });
    expect((await app.webhook(text)).status).toBe(200);
    const kept = (await stored()).at(-1).body as Buffer;
    expect(keptOf({ body: kept })).toHaveLength(1_001);
    expect(kept.length).toBeLessThan(text.length / 2);
    const warnings = app.log.lines.slice(since).filter(({ level }) => level >= 40);
    expect(warnings).toMatchObject([{ most: 1_000, msg: 'provider webhook: more changes than are kept' }]);
  });

  test('another content type does not matter, a signature does', async () => {
    const text = JSON.stringify({ entry: [] });
    const signature = `sha256=${createHmac('sha256', appSecret).update(text).digest('hex')}`;
    for (const type of ['text/plain', 'application/json; charset=utf-16', 'x']) {
      const headers = { 'content-type': type, 'x-hub-signature-256': signature };
      const reply = await app.raw('POST', '/v1/providers/messaging-app/webhook', { key: null, body: text, headers });
      expect(reply.status).toBe(200);
    }
  });

  test('answers without waiting for the work: no worker runs here', async () => {
    const phone = app.phone();
    expect((await app.webhook(bodyFor(channel, inboundFrom(phone)))).status).toBe(200);
    expect(await storedIdentities.count(app, { value: phone })).toBe(0);
    expect((await stored()).at(-1).state).toBe('received');
  });
});

test('an installation without an app of its own takes no webhook', async () => {
  const { deps } = app.web;
  const { messagingAppSecret, messagingAppVerifyToken } = deps.config;
  try {
    Object.assign(deps.config, { messagingAppSecret: undefined, messagingAppVerifyToken: undefined });
    expect((await app.webhook({ entry: [] }, { secret: 'undefined' })).status).toBe(401);
    const query = { 'hub.mode': 'subscribe', 'hub.challenge': '1', 'hub.verify_token': '' };
    expect(
      (await app.call('provider-webhooks.verify', { key: null, query: { ...query, 'hub.verify_token': 'undefined' } })).status,
    ).toBe(403);
  } finally {
    Object.assign(deps.config, { messagingAppSecret, messagingAppVerifyToken });
  }
});
