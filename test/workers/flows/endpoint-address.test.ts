import { beforeEach, describe, expect, test } from '@jest/globals';
import { type Body, type Channel, useApp } from '../../support/app.ts';
import { giveKey } from '../../support/flow-exchange.ts';
import { asks, document, doneBy, draft, settled, statusUpdates, there, unpaced } from '../../support/flow-moves.ts';
import { endpointFlow } from '../../support/flows.ts';
import { flowRows } from '../../support/work/flows.ts';

const app = useApp({ workers: true, workerEnv: { PUBLIC_URL: 'https://kanal.example.com' } });

const ours = ({ id }: Channel) => `https://kanal.example.com/v1/providers/messaging-app/flows/${id}`;
const exchange = { data_exchange: { url: 'https://shop.example.com/flow' } };
const theirs = 'https://elsewhere.example.com/flow';

async function withKey(): Promise<Channel> {
  const channel = await unpaced(app);
  await giveKey(app, channel);
  return channel;
}
const addressOf = async (channel: Channel) => (await there(app, channel)).map(({ endpointUri }) => endpointUri);

test('a flow that asks an endpoint from its first push: the provider gets the address, and publishes it', async () => {
  const channel = await withKey();
  const { id } = await draft(app, channel, { flow_json: endpointFlow(), ...exchange });
  expect(await doneBy(app, id, 'push', 'publish')).toMatchObject({ status: 'published', failure: null });
  expect(await addressOf(channel)).toEqual([ours(channel)]);
});

test('a flow that asks an endpoint only since its last edit: the same', async () => {
  const channel = await withKey();
  const { id } = await draft(app, channel);
  await doneBy(app, id, 'push');
  expect(await addressOf(channel)).toEqual([null]);
  await app.call('flows.update', { params: { flowID: id }, body: { flow_json: endpointFlow(), ...exchange } });
  expect(await doneBy(app, id, 'publish')).toMatchObject({ status: 'published', failure: null });
  expect(await addressOf(channel)).toEqual([ours(channel)]);
});

test('a flow that asks an endpoint, of which nobody said where it is: the provider refuses to publish it, until somebody does', async () => {
  const channel = await withKey();
  const { id } = await draft(app, channel, { flow_json: endpointFlow() });
  await doneBy(app, id, 'push');
  const reply = await asks(app, id, 'publish');
  expect([reply.status, reply.body.error.code]).toEqual([422, 'provider_refused']);
  expect(await settled(app, id)).toMatchObject({
    status: 'draft',
    failure: { provider_code: '139002', message: expect.stringContaining('endpoint_uri') },
  });
  expect(await addressOf(channel)).toEqual([null]);
  await app.call('flows.update', { params: { flowID: id }, body: exchange });
  expect(await doneBy(app, id, 'publish')).toMatchObject({ status: 'published', failure: null });
  expect(await addressOf(channel)).toEqual([ours(channel)]);
});

test('a flow without an endpoint has no address there', async () => {
  const channel = await unpaced(app);
  const { id } = await draft(app, channel);
  await doneBy(app, id, 'push');
  await app.call('flows.update', { params: { flowID: id }, body: { flow_json: document('Second') } });
  await doneBy(app, id, 'push');
  expect(await addressOf(channel)).toEqual([null]);
});

test("a flow that another server answers keeps that server's address until Kanal is told where to ask", async () => {
  const channel = await withKey();
  const flow = { waba_id: channel.wabaId, name: 'Made elsewhere', flow_json: endpointFlow(), endpoint_uri: theirs };
  await app.control('POST', '/flows', flow);
  await app.call('flows.import', { body: { channel_id: channel.id }, headers: { prefer: 'wait=20' } });
  const { id } = await flowRows.one(app, { channel_id: channel.id }, ['id']);
  const update = (body: object) => app.call('flows.update', { params: { flowID: id }, body });

  await update({ name: 'Renamed here' });
  await doneBy(app, id, 'push');
  expect(await addressOf(channel)).toEqual([theirs]);

  await update(exchange);
  await doneBy(app, id, 'push');
  expect(await settled(app, id)).toMatchObject({ failure: null, has_local_changes: false });
  expect(await addressOf(channel)).toEqual([ours(channel)]);
});

describe('one that is published and asks another server', () => {
  let channel: Channel;
  let id: string;
  beforeEach(async () => {
    channel = await withKey();
    const flow = { waba_id: channel.wabaId, name: 'Sold', status: 'PUBLISHED', flow_json: endpointFlow(), endpoint_uri: theirs };
    await app.control('POST', '/flows', flow);
    await app.call('flows.import', { body: { channel_id: channel.id }, headers: { prefer: 'wait=20' } });
    ({ id } = await flowRows.one(app, { channel_id: channel.id }, ['id']));
    await app.call('flows.update', { params: { flowID: id }, body: exchange });
  });
  const bothSides = async () => {
    await app.idle();
    const [{ status, endpointUri }] = (await there(app, channel)) as [Body];
    return [(await settled(app, id)).status, status, endpointUri];
  };

  test('is moved by a publish, though the document has no change, and is published in the end', async () => {
    expect(await doneBy(app, id, 'publish')).toMatchObject({ status: 'published', failure: null, drift: null });
    expect(await bothSides()).toEqual(['published', 'PUBLISHED', ours(channel)]);
    expect(await statusUpdates(app, id)).toEqual(['published draft', 'draft published']);
    await doneBy(app, id, 'publish');
    expect(await statusUpdates(app, id)).toHaveLength(2);
  });

  test.each(['drop_before', 'drop_after'])('after an answer that was lost, too: %s', async (kind) => {
    const { provider_flow_id } = await settled(app, id);
    await app.control('POST', '/faults', { kind, match: { method: 'POST', path: provider_flow_id } });
    await doneBy(app, id, 'publish');
    expect(await bothSides()).toEqual(['published', 'PUBLISHED', ours(channel)]);
  });

  test('follows to another number of the account', async () => {
    await doneBy(app, id, 'publish');
    const other = await app.connect({ account: { waba_id: channel.wabaId, access_token: channel.accessToken } });
    await app.call('flows.update', { params: { flowID: id }, body: { channel_id: other.id } });
    await doneBy(app, id, 'publish');
    expect(await bothSides()).toEqual(['published', 'PUBLISHED', ours(other)]);
  });

  test('where the provider takes no edit of it, the publish fails and says why', async () => {
    await app.control('POST', '/behaviour', { flow_edit: 'refuse' });
    const { status, body } = await asks(app, id, 'publish');
    await app.control('POST', '/behaviour', { flow_edit: 'revert' });
    expect([status, body.error.code]).toEqual([422, 'provider_refused']);
    expect(await bothSides()).toEqual(['published', 'PUBLISHED', theirs]);
  });
});
