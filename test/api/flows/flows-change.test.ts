import { beforeAll, expect, test } from '@jest/globals';
import { type Body, type Channel, useApp } from '../../support/app.ts';
import { flowBody, screen, visual } from '../../support/flow-bodies.ts';
import { storedChannels } from '../../support/stored/channels.ts';
import { markPushed, storedFlows } from '../../support/stored/flows.ts';
import { now } from '../../support/stored/times.ts';

const app = useApp({ env: { RATE_LIMIT_PER_MINUTE: '0' } });
let channel: Channel;
const nobody = '0193ffff-3a0e-7cc4-8f4e-0242ac120004';

beforeAll(async () => {
  channel = await app.connect();
});

const create = (more: object = {}) => app.call('flows.create', { body: flowBody(more) });
const made = async (more: object = {}): Promise<Body> => {
  const { status, body } = await create(more);
  expect([status, body.error]).toEqual([201, undefined]);
  return body;
};
const get = async (id: string) => (await app.call('flows.get', { params: { flowID: id } })).body;
const fieldsOf = ({ body }: { body: Body }) => body.error.details.map(({ field }: Body) => field);
const patch = (flow: Body, body: object) => app.call('flows.update', { params: { flowID: flow.id }, body });
const versionsOf = async (flow: Body) =>
  (await app.call('flows.versions.list', { params: { flowID: flow.id } })).body.items.map(({ number, why }: Body) => [
    number,
    why,
  ]);

test('what is given is written, and nothing else', async () => {
  const flow = await made({ name: 'Before', channel_id: channel.id });
  const renamed = (await patch(flow, { name: 'After' })).body;
  expect(renamed).toEqual({ ...flow, name: 'After', revision: 2, updated_at: renamed.updated_at });
  expect(renamed.updated_at > flow.updated_at).toBe(true);
  const sorted = (await patch(flow, { category: 'survey' })).body;
  expect(sorted).toMatchObject({ name: 'After', category: 'survey', categories: ['survey'], revision: 3, version: 1 });
  expect(sorted.flow_json).toEqual(flow.flow_json);
});

test('the same again is no change', async () => {
  const flow = await made({ name: 'Still' });
  const { name, category, builder_json, json_version } = flow;
  expect((await patch(flow, { name, category, builder_json, json_version })).body).toEqual(flow);
  expect(await versionsOf(flow)).toEqual([[1, 'create']]);
});

test('a stale revision: 409 that names the present one, and nothing changes', async () => {
  const flow = await made({ name: 'Two editors' });
  await patch(flow, { name: 'First editor', revision: 1 });
  const before = await get(flow.id);
  const late = await patch(flow, { name: 'Second editor', revision: 1 });
  expect([late.status, late.body.error.details[0]]).toEqual([
    409,
    expect.objectContaining({ field: 'revision', code: 'revision.stale', value: '2' }),
  ]);
  expect(await get(flow.id)).toEqual(before);
  expect((await patch(flow, { name: 'Second editor', revision: 2 })).status).toBe(200);
});

test('of two changes of one revision at once, one holds', async () => {
  const flow = await made({ name: 'At once' });
  const replies = await Promise.all(['A', 'B', 'C'].map((name) => patch(flow, { name, revision: 1 })));
  expect(replies.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
});

test('new screens are a new document, a version and a revision', async () => {
  const flow = await made({ name: 'Grows' });
  const next = [screen('FIRST', { actions: [{ label: 'Next', type: 'navigate', target: 'SECOND' }] }), screen('SECOND')];
  const { body: changed } = await patch(flow, { builder_json: visual(next) });
  expect(changed.flow_json.screens.map(({ id }: Body) => id)).toEqual(['FIRST', 'SECOND']);
  expect(changed).toMatchObject({ revision: 2, version: 2, validation_errors: [] });
  expect(await versionsOf(flow)).toEqual([
    [2, 'edit'],
    [1, 'create'],
  ]);
});

test('another json_version compiles the same screens anew', async () => {
  const flow = await made({ name: 'Newer' });
  const { body: changed } = await patch(flow, { json_version: '7.3' });
  expect(changed).toMatchObject({ json_version: '7.3', version: 2, builder_json: flow.builder_json });
  expect(changed.flow_json).toEqual({ ...flow.flow_json, version: '7.3' });
});

test('into mode json the document stays, and may then be given; back in mode visual it is compiled', async () => {
  const flow = await made({ name: 'Modes' });
  const own = await patch(flow, { builder_json: { mode: 'json', flow: { id: 'm', name: 'Modes', screens: null } } });
  expect(own.body.flow_json).toEqual(flow.flow_json);
  const given = await patch(flow, { flow_json: { version: '7.2', screens: [] } });
  expect(given.body).toMatchObject({ flow_json: { version: '7.2', screens: [] }, builder_json: { mode: 'json' } });
  const back = await patch(flow, { builder_json: flow.builder_json });
  expect(back.body).toMatchObject({ flow_json: flow.flow_json, builder_json: flow.builder_json, version: 4 });
});

test('a document for a flow in mode visual: 422', async () => {
  const flow = await made({ name: 'Visual' });
  const reply = await patch(flow, { flow_json: {} });
  expect([reply.status, fieldsOf(reply)]).toEqual([422, ['flow_json']]);
  expect(await get(flow.id)).toEqual(flow);
});

test('what the provider has differs then: by document, name and category', async () => {
  const changes = [{ name: 'Named anew' }, { category: 'other' }, { json_version: '7.1' }];
  for (const [place, change] of changes.entries()) {
    const flow = await made({ name: `Pushed ${place}` });
    await markPushed(app, flow.id);
    expect((await get(flow.id)).has_local_changes).toBe(false);
    expect((await patch(flow, change)).body.has_local_changes).toBe(true);
  }
});

test('a name that is taken: 409', async () => {
  await made({ name: 'Here', channel_id: channel.id });
  const flow = await made({ name: 'There', channel_id: channel.id });
  const reply = await patch(flow, { name: 'here' });
  expect([reply.status, fieldsOf(reply)]).toEqual([409, ['name']]);
  const loose = await made({ name: 'HERE' });
  expect((await patch(loose, { channel_id: channel.id })).status).toBe(409);
});

test('another channel, or none, while the provider does not have it', async () => {
  const flow = await made({ name: 'Moves', channel_id: channel.id });
  const other = await app.connect();
  expect((await patch(flow, { channel_id: other.id })).body.channel_id).toBe(other.id);
  expect((await patch(flow, { channel_id: null })).body).not.toHaveProperty('channel_id');
  expect((await patch(flow, { channel_id: nobody })).status).toBe(404);
});

test('one that the provider has stays in its account', async () => {
  const flow = await made({ name: 'Rooted', channel_id: channel.id });
  await storedFlows.change(app, flow.id, { provider_flow_id: `p-${flow.id}` });
  const other = await app.connect();
  for (const channel_id of [other.id, null]) {
    const reply = await patch(flow, { channel_id });
    expect([reply.status, fieldsOf(reply)]).toEqual([409, ['channel_id']]);
  }
  await storedChannels.change(app, other.id, { account_id: channel.wabaId });
  expect((await patch(flow, { channel_id: other.id })).body.channel_id).toBe(other.id);
});

test('one that the provider may have, since its creation had no answer, stays there too', async () => {
  const flow = await made({ name: 'Perhaps there', channel_id: channel.id });
  await storedFlows.change(app, flow.id, { asked_at: now(), pushed_name: flow.name });
  const other = await app.connect();
  for (const channel_id of [other.id, null]) {
    const reply = await patch(flow, { channel_id });
    expect([reply.status, fieldsOf(reply)]).toEqual([409, ['channel_id']]);
  }
  expect(await get(flow.id)).toEqual(flow);
  await storedChannels.change(app, other.id, { account_id: channel.wabaId });
  expect((await patch(flow, { channel_id: other.id })).body.channel_id).toBe(other.id);
});

test('no other channel while a job works for it', async () => {
  const flow = await made({ name: 'Busy', channel_id: channel.id });
  await storedFlows.change(app, flow.id, { doing: 'push' });
  expect((await patch(flow, { channel_id: null })).status).toBe(409);
  expect((await patch(flow, { name: 'Busy, renamed' })).status).toBe(200);
});

test('a deprecated one: only where its requests go', async () => {
  const flow = await made({ name: 'Old one' });
  await storedFlows.change(app, flow.id, { status: 'deprecated' });
  for (const change of [{ name: 'New' }, { category: 'other' }, { json_version: '7.3' }])
    expect((await patch(flow, change)).status).toBe(409);
  const moved = await patch(flow, { data_exchange: { url: 'https://example.com/x' } });
  expect(moved.body.data_exchange).toEqual({ url: 'https://example.com/x', header_names: [] });
});

test('data_exchange is merged, and removed by null', async () => {
  const flow = await made({ name: 'Exchanges', data_exchange: { url: 'https://example.com/a', headers: { 'X-A': '1' } } });
  const added = await patch(flow, { data_exchange: { headers: { 'X-B': '2' } } });
  expect(added.body.data_exchange).toEqual({ url: 'https://example.com/a', header_names: ['X-A', 'X-B'] });
  const moved = await patch(flow, { data_exchange: { url: 'https://example.com/b', headers: { 'x-a': null } } });
  expect(moved.body.data_exchange).toEqual({ url: 'https://example.com/b', header_names: ['X-B'] });
  expect((await patch(flow, { data_exchange: null })).body.data_exchange).toBeNull();
  const none = await patch(flow, { data_exchange: { headers: {} } });
  expect([none.status, fieldsOf(none)]).toEqual([422, ['data_exchange.url']]);
});

test.each([
  ['nothing', {}],
  ['an unknown field', { status: 'published' }],
  ['a text as revision', { name: 'x', revision: '1' }],
  ['an empty data_exchange', { data_exchange: {} }],
])('%s: 422', async (_what, body) => {
  const flow = await made({ name: `Refuses ${_what}` });
  expect((await patch(flow, body)).status).toBe(422);
  expect(await get(flow.id)).toEqual(flow);
});
