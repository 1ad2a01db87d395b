import { beforeAll, describe, expect, test } from '@jest/globals';
import { type Body, type Channel, type Tenant, useApp } from '../../support/app.ts';
import { flowBody, jsonFlow, missingIn, screen, visual } from '../../support/flow-bodies.ts';
import { markPushed, storedFlowResponses, storedFlowSends, storedFlows, storedFlowVersions } from '../../support/stored/flows.ts';

const app = useApp({ env: { RATE_LIMIT_PER_MINUTE: '0' } });
let channel: Channel;
let stranger: Tenant;
const nobody = '0193ffff-3a0e-7cc4-8f4e-0242ac120004';

beforeAll(async () => {
  channel = await app.connect();
  stranger = await app.organization();
});

const create = (more: object = {}, headers: Record<string, string> = {}) =>
  app.call('flows.create', { body: flowBody(more), headers });
const made = async (more: object = {}): Promise<Body> => {
  const { status, body } = await create(more);
  expect([status, body.error]).toEqual([201, undefined]);
  return body;
};
const patch = (flow: Body, body: object) => app.call('flows.update', { params: { flowID: flow.id }, body });
const get = async (id: string) => (await app.call('flows.get', { params: { flowID: id } })).body;
const remove = (id: string) => app.call('flows.delete', { params: { flowID: id } });
const list = async (query: Record<string, string>) => (await app.call('flows.list', { query })).body;
const codesOf = (flow: Body) => flow.validation_errors.map(({ error }: Body) => error);
const fieldsOf = ({ body }: { body: Body }) => body.error.details.map(({ field }: Body) => field);

describe('create', () => {
  test('screens are compiled, and the draft has every required field', async () => {
    const { status, headers, body: flow } = await create({ name: 'Visit', channel_id: channel.id });
    expect([status, headers.get('location')]).toEqual([201, `/v1/flows/${flow.id}`]);
    expect(flow).toMatchObject({
      name: 'Visit',
      category: 'appointment_booking',
      categories: ['appointment_booking'],
      status: 'draft',
      builder_json: visual([screen('FIRST')]),
      builder_version: 1,
      data_api_version: '',
      json_version: '7.2',
      has_local_changes: true,
      validation_errors: [],
      channel_id: channel.id,
      revision: 1,
      version: 1,
      provider_version: null,
      drift: null,
      data_exchange: null,
      doing: null,
      failure: null,
    });
    expect(flow.flow_json).toMatchObject({ version: '7.2', screens: [{ id: 'FIRST', terminal: true }] });
    expect(missingIn(flow)).toEqual([]);
    expect(['provider_flow_id', 'preview_url'].filter((field) => field in flow)).toEqual([]);
    expect(await get(flow.id)).toEqual(flow);
  });

  test('a document of the client is kept as it is, with its own version and faults', async () => {
    const flow = await made({ name: 'Own', ...jsonFlow({ version: '6.3', data_api_version: '3.0', screens: [] }) });
    expect(flow).toMatchObject({
      builder_json: { mode: 'json', flow: { id: flow.id, name: 'Own', screens: null } },
      flow_json: { version: '6.3', data_api_version: '3.0', screens: [] },
      json_version: '6.3',
      data_api_version: '3.0',
    });
    expect(flow.validation_errors.length).toBeGreaterThan(0);
    expect(flow.validation_errors[0]).toMatchObject({ source: 'kanal', severity: 'error' });
  });

  test('without a channel there is no channel_id', async () => {
    expect(await made({ name: 'Nowhere' })).not.toHaveProperty('channel_id');
  });

  test('with json_version the document is of that version', async () => {
    const flow = await made({ name: 'Older', json_version: '6.0' });
    expect([flow.json_version, flow.flow_json.version]).toEqual(['6.0', '6.0']);
  });

  test('an endpoint: the address is shown, values of headers are not', async () => {
    const headers = { 'X-Token': 'a secret of theirs' };
    const flow = await made({ name: 'Asking', data_exchange: { url: 'https://example.com/flow', headers } });
    expect(flow.data_exchange).toEqual({ url: 'https://example.com/flow', header_names: ['X-Token'] });
    expect((await storedFlows.one(app, flow.id)).data_exchange_headers).not.toContain('secret');
  });

  test('a name that the account has, whatever its case: 409; another account may have it', async () => {
    await made({ name: 'Taken', channel_id: channel.id });
    const again = await create({ name: 'tAKEN', channel_id: channel.id });
    expect([again.status, again.body.error.code, fieldsOf(again)]).toEqual([409, 'conflict', ['name']]);
    const other = await app.connect();
    await made({ name: 'Taken', channel_id: other.id });
    await made({ name: 'Taken' });
  });

  test('the same Idempotency-Key makes one, and its reply has the document', async () => {
    const ask = () => create({ name: 'Once' }, { 'idempotency-key': 'flow-once' });
    const [first, second] = [await ask(), await ask()];
    expect(second.headers.get('idempotent-replayed')).toBe('true');
    expect(second.body).toEqual(first.body);
    expect(second.body.flow_json.screens).toHaveLength(1);
  });

  test('one more than 1,000 is refused', async () => {
    const own = await app.organization();
    await storedFlows.addMany(app, 999, (n) => ({
      organization_id: own.organizationId,
      name: `F${n}`,
      category: 'other',
      categories: ['other'],
      builder_json: {},
      flow_json: '{}',
      json_version: '7.2',
      local_sha256: '',
    }));
    const ask = () => app.call('flows.create', { key: own.key, body: flowBody() });
    const replies = await Promise.all([ask(), ask()]);
    expect(replies.map(({ status }) => status).sort()).toEqual([201, 422]);
    const refused = replies.find(({ status }) => status === 422)!;
    expect(refused.body.error.code).toBe('limit_reached');
    expect(await storedFlows.count(app, { organization_id: own.organizationId })).toBe(1_000);
  });

  test('a foreign channel and one that is not there: 404', async () => {
    const foreign = await app.connect({ tenant: stranger });
    for (const channel_id of [foreign.id, nobody]) expect((await create({ name: 'Lost', channel_id })).status).toBe(404);
  });
});

describe('list', () => {
  let own: Tenant;
  let flows: Body[];
  const names = (page: Body) => page.items.map(({ name }: Body) => name);
  const listed = async (query: Record<string, string>) => (await app.call('flows.list', { key: own.key, query })).body;
  const by = (field: string, value: unknown, operator = 'eq') => ({ filters: JSON.stringify([{ field, operator, value }]) });

  beforeAll(async () => {
    own = await app.organization();
    const on = await app.connect({ tenant: own });
    const bodies = [
      flowBody({ name: 'Ärger melden', category: 'survey' }),
      flowBody({ name: 'Booking', channel_id: on.id }),
      flowBody({ name: 'Address', category: 'other' }),
    ];
    flows = [];
    for (const body of bodies) flows.push((await app.call('flows.create', { key: own.key, body })).body);
    await markPushed(app, flows[1]!.id);
    await storedFlows.change(app, flows[1]!.id, { status: 'published' });
  });

  test('newest first, with both documents left out', async () => {
    const page = await listed({});
    expect(names(page)).toEqual(['Address', 'Booking', 'Ärger melden']);
    const { builder_json: _builder, flow_json: _flow, ...shown } = flows[2]!;
    expect(page.items[0]).toEqual(shown);
  });

  test('by status, category, channel, local changes, time and words of the name', async () => {
    expect(names(await listed(by('status', 'published')))).toEqual(['Booking']);
    expect(names(await listed(by('category', ['survey', 'other'], 'in')))).toEqual(['Address', 'Ärger melden']);
    expect(names(await listed(by('channel_id', flows[1]!.channel_id)))).toEqual(['Booking']);
    expect(names(await listed(by('has_local_changes', true)))).toEqual(['Address', 'Ärger melden']);
    expect(names(await listed(by('has_local_changes', false)))).toEqual(['Booking']);
    expect(names(await listed(by('updated_at', flows[0]!.updated_at, 'gt')))).toEqual(['Address', 'Booking']);
    expect(names(await listed({ search: 'arger MELD' }))).toEqual(['Ärger melden']);
  });

  test('in pages, with a cursor', async () => {
    const first = await listed({ limit: '2', sort: 'updated_at', include_total: 'true' });
    expect([names(first), first.meta.total]).toEqual([['Ärger melden', 'Booking'], 3]);
    expect(names(await listed({ limit: '2', sort: 'updated_at', cursor: first.meta.next_cursor }))).toEqual(['Address']);
  });

  test('bad filters: 400 and 422', async () => {
    for (const [query, status] of [
      [{ filters: 'x' }, 400],
      [by('status', 'gone'), 422],
      [by('flow_json', 'x'), 422],
      [{ sort: 'name' }, 422],
      [{ colour: 'red' }, 422],
    ] as const)
      expect((await app.call('flows.list', { query })).status).toBe(status);
    expect(await list({ search: 'nothing of that name' })).toMatchObject({ items: [] });
  });
});

describe('delete', () => {
  test('a draft that only Kanal has is gone, its versions too, and its name is free', async () => {
    const flow = await made({ name: 'Gone', channel_id: channel.id });
    expect((await remove(flow.id)).status).toBe(204);
    expect((await app.call('flows.get', { params: { flowID: flow.id } })).status).toBe(404);
    expect((await remove(flow.id)).status).toBe(404);
    expect(await storedFlowVersions.count(app, { flow_id: flow.id })).toBe(0);
    await made({ name: 'Gone', channel_id: channel.id });
  });

  test.each(['published', 'deprecated', 'blocked', 'throttled'])('one that is %s: 409', async (status) => {
    const flow = await made({ name: `Is ${status}` });
    await storedFlows.change(app, flow.id, { status });
    const reply = await remove(flow.id);
    expect([reply.status, reply.body.error.details[0].value]).toEqual([409, status]);
    expect((await get(flow.id)).status).toBe(status);
  });

  test('one that a job works for: 409', async () => {
    const flow = await made({ name: 'At work' });
    await storedFlows.change(app, flow.id, { doing: 'push' });
    expect((await remove(flow.id)).status).toBe(409);
  });

  test('what was sent and answered stays, without the flow', async () => {
    const flow = await made({ name: 'Answered', channel_id: channel.id });
    const { id: conversationId, contactId, phone } = await app.conversation(channel);
    const { id: messageId } = (await app.text(channel, phone)).body.data;
    await storedFlowSends.add(app, {
      organization_id: app.tenant.organizationId,
      message_id: messageId,
      flow_id: flow.id,
      version: 1,
    });
    await storedFlowResponses.add(app, {
      organization_id: app.tenant.organizationId,
      flow_id: flow.id,
      message_id: messageId,
      contact_id: contactId,
      conversation_id: conversationId,
      channel_id: channel.id,
      response: { a: 1 },
    });
    expect((await remove(flow.id)).status).toBe(204);
    expect(await storedFlowSends.all(app, { message_id: messageId }, { columns: ['flow_id', 'version'] })).toEqual([
      { flow_id: null, version: null },
    ]);
    expect(await storedFlowResponses.all(app, { message_id: messageId }, { columns: ['flow_id', 'response'] })).toEqual([
      { flow_id: null, response: { a: 1 } },
    ]);
  });
});

describe('one that is being deleted at the provider', () => {
  test('is not there any more', async () => {
    const flow = await made({ name: 'Leaves' });
    await storedFlows.change(app, flow.id, { doing: 'delete' });
    const params = { flowID: flow.id };
    const replies = [
      await app.call('flows.get', { params }),
      await patch(flow, { name: 'Back' }),
      await remove(flow.id),
      await app.call('flows.versions.list', { params }),
      await app.call('flows.clone', { params, body: { name: 'Copy' } }),
    ];
    expect(replies.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404]);
    expect((await list({ search: 'Leaves' })).items).toEqual([]);
  });
});

test('every reply has all required fields, whatever the status and the mode', async () => {
  for (const status of ['draft', 'published', 'deprecated', 'blocked', 'throttled'])
    for (const body of [flowBody({ name: `All ${status}` }), { name: `J ${status}`, category: 'other', ...jsonFlow({}) }]) {
      const { id } = (await app.call('flows.create', { body })).body;
      await storedFlows.change(app, id, { status });
      const flow = await get(id);
      expect(missingIn(flow)).toEqual([]);
      expect(flow.status).toBe(status);
    }
  expect(codesOf(await made({ name: 'No faults' }))).toEqual([]);
});
