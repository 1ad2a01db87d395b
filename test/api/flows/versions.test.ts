import { expect, test } from '@jest/globals';
import { type Body, useApp } from '../../support/app.ts';
import { flowBody, jsonFlow, screen, visual } from '../../support/flow-bodies.ts';
import { storedFlowSends, storedFlows, storedFlowVersions } from '../../support/stored/flows.ts';

const app = useApp({ env: { RATE_LIMIT_PER_MINUTE: '0' } });

const made = async (more: object = {}): Promise<Body> => (await app.call('flows.create', { body: flowBody(more) })).body;
const patch = async (flow: Body, body: object): Promise<Body> =>
  (await app.call('flows.update', { params: { flowID: flow.id }, body })).body;
const get = async (flow: Body): Promise<Body> => (await app.call('flows.get', { params: { flowID: flow.id } })).body;
const list = async (flow: Body, query: Record<string, string> = {}): Promise<Body> =>
  (await app.call('flows.versions.list', { params: { flowID: flow.id }, query })).body;
const version = (flow: Body, id: string) => app.call('flows.versions.get', { params: { flowID: flow.id, versionID: id } });
const restore = (flow: Body, id: string, body?: object) =>
  app.call('flows.versions.restore', { params: { flowID: flow.id, versionID: id }, body });
const numbersOf = ({ items }: Body) => items.map(({ number }: Body) => number);

test('each change of the document is one, with who made it; another name is none', async () => {
  const flow = await made();
  await patch(flow, { name: `${flow.name} renamed` });
  const changed = await patch(flow, { builder_json: visual([screen('OTHER')]) });
  const { items } = await list(flow);
  expect(items).toMatchObject([
    { number: 2, why: 'edit', flow_id: flow.id, json_version: '7.2', actor: `key:${app.tenant.keyId}` },
    { number: 1, why: 'create' },
  ]);
  expect(items[0].sha256).not.toBe(items[1].sha256);
  const [second, first] = [await version(flow, items[0].id), await version(flow, items[1].id)];
  expect(second.body).toEqual({ ...items[0], builder_json: changed.builder_json, flow_json: changed.flow_json });
  expect(first.body.flow_json).toEqual(flow.flow_json);
});

test('an old one is the present document again, as a version of its own', async () => {
  const flow = await made();
  const own = await patch(flow, {
    builder_json: { mode: 'json', flow: { id: 'a', name: 'A', screens: null } },
    flow_json: { version: '6.0', screens: [] },
  });
  const [, { id }] = (await list(flow)).items;
  const { status, body: restored } = await restore(flow, id, { revision: own.revision });
  expect(status).toBe(200);
  expect(restored).toMatchObject({
    builder_json: flow.builder_json,
    flow_json: flow.flow_json,
    json_version: '7.2',
    validation_errors: [],
    revision: 3,
    version: 3,
  });
  expect((await list(flow)).items[0]).toMatchObject({ number: 3, why: 'restore' });
  expect((await restore(flow, id)).body).toEqual(restored);
  expect(numbersOf(await list(flow))).toEqual([3, 2, 1]);
});

test('with a stale revision: 409; of a deprecated flow: 409', async () => {
  const flow = await made();
  await patch(flow, { builder_json: visual([screen('OTHER')]) });
  const [, { id }] = (await list(flow)).items;
  expect((await restore(flow, id, { revision: 1 })).status).toBe(409);
  await storedFlows.change(app, flow.id, { status: 'deprecated' });
  expect((await restore(flow, id)).status).toBe(409);
  expect((await get(flow)).version).toBe(2);
});

test('the last 50 are kept, and the one that the provider has', async () => {
  const flow = await made(jsonFlow({ version: '7.2', n: 0 }));
  await patch(flow, { flow_json: { version: '7.2', n: 1 } });
  await storedFlows.change(app, flow.id, { provider_version: 2 });
  for (let n = 2; n < 53; n += 1) await patch(flow, { flow_json: { version: '7.2', n } });
  const page = await list(flow, { limit: '100', include_total: 'true' });
  expect(page.meta.total).toBe(51);
  expect(numbersOf(page)).toEqual([...Array.from({ length: 50 }, (_, index) => 53 - index), 2]);
  const stored = await storedFlowVersions.all(app, { flow_id: flow.id }, { columns: ['number'] });
  expect(stored.filter(({ number }) => number < 4)).toEqual([{ number: 2 }]);
  const first = await list(flow, { limit: '30' });
  const second = await list(flow, { limit: '30', cursor: first.meta.next_cursor });
  expect([...numbersOf(first), ...numbersOf(second)]).toEqual(numbersOf(page));
});

test('an older one that was sent keeps what its answers are shown by, and cannot be restored', async () => {
  const channel = await app.connect();
  const { phone } = await app.conversation(channel);
  const flow = await made({ channel_id: channel.id });
  const [{ id }] = (await list(flow)).items;
  const { id: messageId } = (await app.text(channel, phone)).body.data;
  await storedFlowSends.add(app, {
    organization_id: app.tenant.organizationId,
    message_id: messageId,
    flow_id: flow.id,
    version: 1,
  });
  await storedFlows.change(app, flow.id, { version: 50 });
  await patch(flow, { builder_json: visual([screen('OTHER')]) });
  expect(numbersOf(await list(flow))).toEqual([51]);
  expect([(await version(flow, id)).status, (await restore(flow, id)).status]).toEqual([404, 404]);
  expect(await storedFlowVersions.one(app, id, ['labels', 'flow_json'])).toEqual({
    labels: { answer_first: { label: 'Answer' } },
    flow_json: null,
  });
});

test('of another flow, malformed or unknown: 404', async () => {
  const [flow, other] = [await made(), await made()];
  const [{ id }] = (await list(other)).items;
  for (const bad of [id, '0193ffff-3a0e-7cc4-8f4e-0242ac120004', 'x'])
    expect([(await version(flow, bad)).status, (await restore(flow, bad)).status]).toEqual([404, 404]);
  expect((await restore(other, id, { colour: 'red' })).status).toBe(422);
});
