import { beforeAll, expect, test } from '@jest/globals';
import { type Body, type Channel, useApp } from '../../support/app.ts';
import { flowBody, jsonFlow } from '../../support/flow-bodies.ts';
import { markPushed, storedFlows, storedFlowVersions } from '../../support/stored/flows.ts';
import { now } from '../../support/stored/times.ts';

const app = useApp({ env: { RATE_LIMIT_PER_MINUTE: '0' } });
let channel: Channel;
beforeAll(async () => {
  channel = await app.connect();
});

const made = async (more: object = {}): Promise<Body> => (await app.call('flows.create', { body: flowBody(more) })).body;
const clone = (flow: Body, body: object, headers = {}) => app.call('flows.clone', { params: { flowID: flow.id }, body, headers });

test('a draft of its own: the documents, the category and the data_exchange; nothing of the provider', async () => {
  const data_exchange = { url: 'https://example.com/a', headers: { 'X-A': '1' } };
  const flow = await made({ name: 'Source', channel_id: channel.id, data_exchange });
  await markPushed(app, flow.id);
  await storedFlows.change(app, flow.id, {
    status: 'published',
    provider_flow_id: '77',
    provider_version: 1,
    base_sha256: (await storedFlows.one(app, flow.id)).local_sha256,
    preview_url: 'https://example.com',
    told_at: now(),
    synced_at: now(),
    published_at: now(),
    drift: { detected_at: '2026-11-23T10:00:00Z', provider_sha256: 'a' },
  });
  const { status, headers, body: copy } = await clone(flow, { name: 'Copy' });
  expect([status, headers.get('location')]).toEqual([201, `/v1/flows/${copy.id}`]);
  const { id, name, created_at, updated_at, ...same } = flow;
  expect(copy).toMatchObject(same);
  expect([copy.id === id, copy.name === name, created_at < copy.created_at, updated_at < copy.updated_at]).toEqual([
    false,
    false,
    true,
    true,
  ]);
  expect(copy).not.toHaveProperty('provider_flow_id');
  const [row] = await storedFlows.all(app, copy.id, { columns: ['told_at', 'base_sha256'] });
  expect(row).toEqual({ told_at: null, base_sha256: null });
  const versions = (await app.call('flows.versions.list', { params: { flowID: copy.id } })).body.items;
  expect(versions).toMatchObject([{ number: 1, why: 'clone' }]);
  const labels = await storedFlowVersions.all(app, { flow_id: [flow.id, copy.id] }, { columns: ['labels'] });
  expect(labels[0]).toEqual(labels[1]);
});

test('on another channel, or on none', async () => {
  const flow = await made({ name: 'Here', channel_id: channel.id, ...jsonFlow({ version: '7.2' }) });
  const other = await app.connect();
  const there = await clone(flow, { name: 'Here', channel_id: other.id });
  expect(there.body).toMatchObject({ channel_id: other.id, builder_json: { flow: { id: there.body.id, name: 'Here' } } });
  expect((await clone(flow, { name: 'Here', channel_id: null })).body).not.toHaveProperty('channel_id');
});

test('a name that is taken: 409; a channel that is not there: 404; no name: 422', async () => {
  const flow = await made({ name: 'Taken', channel_id: channel.id });
  expect((await clone(flow, { name: 'taken' })).status).toBe(409);
  expect((await clone(flow, { name: 'New', channel_id: '0193ffff-3a0e-7cc4-8f4e-0242ac120004' })).status).toBe(404);
  expect((await clone(flow, {})).status).toBe(422);
  expect((await clone(flow, { name: 'New', status: 'draft' })).status).toBe(422);
});

test('of a channel that was deleted: 404, unless another is named', async () => {
  const gone = await app.connect();
  const flow = await made({ name: 'Left', channel_id: gone.id });
  await app.call('channels.delete', { params: { channelID: gone.id } });
  expect((await clone(flow, { name: 'Left too' })).status).toBe(404);
  expect((await clone(flow, { name: 'Left too', channel_id: channel.id })).status).toBe(201);
});

test('the same Idempotency-Key makes one', async () => {
  const flow = await made({ name: 'Twice' });
  const ask = () => clone(flow, { name: 'Twice again' }, { 'idempotency-key': 'clone-1' });
  const [first, second] = [await ask(), await ask()];
  expect([second.status, second.body]).toEqual([201, first.body]);
});

test('a deprecated one is cloned to a draft', async () => {
  const flow = await made({ name: 'Deprecated' });
  await storedFlows.change(app, flow.id, { status: 'deprecated' });
  expect((await clone(flow, { name: 'Alive' })).body).toMatchObject({ status: 'draft', has_local_changes: true });
});
