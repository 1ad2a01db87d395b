import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { newKeyPair } from '../../../src/flows/exchange/crypto.ts';
import { type Channel, useApp } from '../../support/app.ts';
import {
  askByPhone,
  type FlowEndpoint,
  flowWithEndpoint,
  giveKey,
  type OpenedForm,
  sendFlow,
  startFlowEndpoint,
} from '../../support/flow-exchange.ts';
import { testSecrets } from '../../support/secrets.ts';

/** The process knows the channel from an earlier request; everything below is changed in the database alone, as by another process. */
const app = useApp();
let endpoint: FlowEndpoint;
let channel: Channel;
let form: OpenedForm;
let publicKey: string;

beforeAll(async () => {
  endpoint = await startFlowEndpoint();
  endpoint.answer((res) => res.end('{"screen":"NEXT","data":{}}'));
});
afterAll(() => endpoint.close());

const ask = (how: Parameters<typeof askByPhone>[3] = {}) =>
  askByPhone(app, channel, { flow_token: form.token }, { publicKey, ...how });

beforeEach(async () => {
  channel = await app.connect();
  publicKey = await giveKey(app, channel);
  form = await sendFlow(app, channel, await flowWithEndpoint(app, channel, endpoint.url));
  for (let n = 0; n < 2; n += 1) expect(await ask()).toMatchObject({ status: 200, reply: { screen: 'NEXT' } });
  endpoint.received.length = 0;
});

async function addKey(state: string): Promise<string> {
  const pair = await newKeyPair();
  await app.rows(
    `insert into flow_keys (id, organization_id, channel_id, state, private_key, public_key) values (uuidv7(), $1, $2, $3, $4, $5)`,
    [channel.tenant.organizationId, channel.id, state, testSecrets.seal(pair.privateKey), pair.publicKey],
  );
  return pair.publicKey;
}

describe('what has changed since counts at the next request', () => {
  test('a new key opens at once, and the one before too', async () => {
    const added = await addKey('uploading');
    expect(await ask({ publicKey: added })).toMatchObject({ status: 200, reply: { screen: 'NEXT' } });
    expect(await ask()).toMatchObject({ status: 200, reply: { screen: 'NEXT' } });
    expect(endpoint.received).toHaveLength(2);
  });

  test('a key that was removed opens nothing', async () => {
    await app.rows('delete from flow_keys where channel_id = $1', [channel.id]);
    expect(await ask()).toMatchObject({ status: 421 });
    expect(endpoint.received).toEqual([]);
  });

  test('a key whose overlap is over opens nothing', async () => {
    await app.rows(
      `update flow_keys set state = 'previous', expires_at = clock_timestamp() - interval '1 second' where channel_id = $1`,
      [channel.id],
    );
    expect(await ask()).toMatchObject({ status: 421 });
    expect(endpoint.received).toEqual([]);
  });

  test('an app of its own: its secret signs from now on, and the one before no more', async () => {
    await app.rows('update channels set app_secret = $2 where id = $1', [channel.id, testSecrets.seal('of-its-own-app')]);
    expect(await ask()).toMatchObject({ status: 432 });
    expect(endpoint.received).toEqual([]);
    expect(await ask({ secret: 'of-its-own-app' })).toMatchObject({ status: 200, reply: { screen: 'NEXT' } });
  });

  test('a channel that was deleted, the only one of its account, is a 404', async () => {
    await app.rows('update channels set deleted_at = now() where id = $1', [channel.id]);
    expect(await ask()).toMatchObject({ status: 404 });
    expect(endpoint.received).toEqual([]);
  });

  test('a channel that was deleted: another number of the account answers at its address, for its own forms', async () => {
    const { wabaId: waba_id, accessToken: access_token } = channel;
    const other = await app.connect({ account: { waba_id, access_token } });
    const otherKey = await giveKey(app, other);
    const { flow_id } = await app.one('select flow_id from flow_sends where message_id = $1', [form.messageId]);
    const { token } = await sendFlow(app, other, flow_id);
    expect((await app.call('channels.delete', { params: { channelID: channel.id } })).status).toBe(204);
    const askAsOther = () => askByPhone(app, other, { flow_token: token }, { endpointOf: channel, publicKey: otherKey });
    for (let n = 0; n < 2; n += 1) expect(await askAsOther()).toMatchObject({ status: 200, reply: { screen: 'NEXT' } });
    expect(endpoint.received.map(({ body }) => body.channel_id)).toEqual([other.id, other.id]);
    // The key went with the channel, and what it had asked is nobody's.
    expect(await ask()).toMatchObject({ status: 421 });
    await app.rows('update channels set app_secret = $2 where id = $1', [other.id, testSecrets.seal('of-its-own-app')]);
    expect(await askAsOther()).toMatchObject({ status: 432 });
    await app.rows('update channels set deleted_at = now() where id = $1', [other.id]);
    expect(await askAsOther()).toMatchObject({ status: 404 });
    expect(endpoint.received).toHaveLength(2);
  });

  test('a flow that was deleted is over', async () => {
    await app.rows('delete from flows where channel_id = $1', [channel.id]);
    expect(await ask()).toMatchObject({ status: 427 });
    expect(endpoint.received).toEqual([]);
  });
});

test('a request to a channel that is known takes one trip to the database, however many keys it has', async () => {
  for (const state of ['uploading', 'previous']) await addKey(state);
  await ask();
  const { pool } = app.web.deps.database;
  const query = pool.query;
  const texts: unknown[] = [];
  pool.query = ((text: unknown, ...rest: unknown[]) => {
    texts.push(text);
    return (query as (...all: unknown[]) => unknown).call(pool, text, ...rest);
  }) as typeof query;
  try {
    expect(await ask()).toMatchObject({ status: 200 });
  } finally {
    pool.query = query;
  }
  expect(texts.filter((text) => String(text).includes('flow_sends'))).toHaveLength(1);
  expect(texts).toHaveLength(1);
});
