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
import { storedChannels } from '../../support/stored/channels.ts';
import { storedFlowKeys, storedFlowSends, storedFlows } from '../../support/stored/flows.ts';
import { ago, now } from '../../support/stored/times.ts';

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
  await storedFlowKeys.add(app, {
    organization_id: channel.tenant.organizationId,
    channel_id: channel.id,
    state,
    private_key: testSecrets.seal(pair.privateKey),
    public_key: pair.publicKey,
  });
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
    await storedFlowKeys.remove(app, { channel_id: channel.id });
    expect(await ask()).toMatchObject({ status: 421 });
    expect(endpoint.received).toEqual([]);
  });

  test('a key whose overlap is over opens nothing', async () => {
    await storedFlowKeys.change(app, { channel_id: channel.id }, { state: 'previous', expires_at: ago(1, 'second') });
    expect(await ask()).toMatchObject({ status: 421 });
    expect(endpoint.received).toEqual([]);
  });

  test('an app of its own: its secret signs from now on, and the one before no more', async () => {
    await storedChannels.change(app, channel.id, { app_secret: testSecrets.seal('of-its-own-app') });
    expect(await ask()).toMatchObject({ status: 432 });
    expect(endpoint.received).toEqual([]);
    expect(await ask({ secret: 'of-its-own-app' })).toMatchObject({ status: 200, reply: { screen: 'NEXT' } });
  });

  test('a channel that was deleted, the only one of its account, is a 404', async () => {
    await storedChannels.change(app, channel.id, { deleted_at: now() });
    expect(await ask()).toMatchObject({ status: 404 });
    expect(endpoint.received).toEqual([]);
  });

  test('a channel that was deleted: another number of the account answers at its address, for its own forms', async () => {
    const { wabaId: waba_id, accessToken: access_token } = channel;
    const other = await app.connect({ account: { waba_id, access_token } });
    const otherKey = await giveKey(app, other);
    const { flow_id } = await storedFlowSends.one(app, { message_id: form.messageId });
    const { token } = await sendFlow(app, other, flow_id);
    expect((await app.call('channels.delete', { params: { channelID: channel.id } })).status).toBe(204);
    const askAsOther = () => askByPhone(app, other, { flow_token: token }, { endpointOf: channel, publicKey: otherKey });
    for (let n = 0; n < 2; n += 1) expect(await askAsOther()).toMatchObject({ status: 200, reply: { screen: 'NEXT' } });
    expect(endpoint.received.map(({ body }) => body.channel_id)).toEqual([other.id, other.id]);
    // The key went with the channel, and what it had asked is nobody's.
    expect(await ask()).toMatchObject({ status: 421 });
    await storedChannels.change(app, other.id, { app_secret: testSecrets.seal('of-its-own-app') });
    expect(await askAsOther()).toMatchObject({ status: 432 });
    await storedChannels.change(app, other.id, { deleted_at: now() });
    expect(await askAsOther()).toMatchObject({ status: 404 });
    expect(endpoint.received).toHaveLength(2);
  });

  test('a flow that was deleted is over', async () => {
    await storedFlows.remove(app, { channel_id: channel.id });
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
