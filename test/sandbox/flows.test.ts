import { describe, expect, test } from '@jest/globals';
import { goodFlow } from '../support/flows.ts';
import { phoneNumberId, token, useHouse, wabaId } from './house.ts';

const house = useHouse();
const statuses = ['DRAFT', 'PUBLISHED', 'DEPRECATED', 'BLOCKED', 'THROTTLED'];

const put = async (flow: object = {}): Promise<string> =>
  (await house.control('flows', { waba_id: wabaId, name: 'Feedback', flow_json: goodFlow(), ...flow })).body.id;
const statusOf = async (id: string) => (await house.get(`/v23.0/${id}?fields=status`)).body.status;
const told = async () => {
  await house.settled();
  const entries = house.receiver.received.map(({ raw }) => JSON.parse(raw.toString()).entry[0]);
  return entries.flatMap(({ id, changes }) => changes.map(({ field, value }: Change) => ({ account: id, field, value })));
};
type Change = { field: string; value: Record<string, unknown> };

function form(fields: Record<string, string>, json?: string): FormData {
  const made = new FormData();
  for (const [name, value] of Object.entries(fields)) made.set(name, value);
  if (json !== undefined) made.set('file', new File([json], 'flow.json', { type: 'application/json' }));
  return made;
}
async function post(path: string, body: FormData | URLSearchParams) {
  const response = await fetch(`${house.url}/v23.0/${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
    body,
  });
  return { status: response.status, body: (await response.json()) as ReturnType<typeof JSON.parse> };
}
const asset = { name: 'flow.json', asset_type: 'FLOW_JSON' };
const upload = (id: string, json = JSON.stringify(goodFlow())) => post(`${id}/assets`, form(asset, json));

const acts: Record<string, (id: string) => Promise<{ status: number; body: ReturnType<typeof JSON.parse> }>> = {
  metadata: (id) => house.ask('POST', `/v23.0/${id}`, { categories: ['SURVEY'] }),
  document: (id) => upload(id),
  publish: (id) => house.ask('POST', `/v23.0/${id}/publish`),
  deprecate: (id) => house.ask('POST', `/v23.0/${id}/deprecate`),
  delete: (id) => house.ask('DELETE', `/v23.0/${id}`),
};

/** By behaviour, then by what is done: what becomes of each status, or the code of the refusal. */
const table: [behaviour: string, act: string, becomes: (string | number)[]][] = [
  ['revert', 'metadata', ['DRAFT', 'DRAFT', 139001, 139001, 139001]],
  ['refuse', 'metadata', ['DRAFT', 139001, 139001, 139001, 139001]],
  ['revert', 'document', ['DRAFT', 'DRAFT', 139001, 139001, 139001]],
  ['refuse', 'document', ['DRAFT', 139001, 139001, 139001, 139001]],
  ['revert', 'publish', ['PUBLISHED', 139002, 139002, 139002, 139002]],
  ['revert', 'deprecate', [139003, 'DEPRECATED', 139003, 'DEPRECATED', 'DEPRECATED']],
  ['revert', 'delete', ['gone', 139004, 139004, 139004, 139004]],
];

describe('each act in each state', () => {
  test.each(
    table.flatMap(([behaviour, act, becomes]) =>
      statuses.map((from, index): [string, string, string, string | number] => [act, from, behaviour, becomes[index]!]),
    ),
  )('%s of a %s flow (%s): %s', async (act, from, flow_edit, becomes) => {
    await house.control('behaviour', { flow_edit });
    const id = await put({ status: from });
    const { status, body } = await acts[act]!(id);
    if (typeof becomes === 'number') {
      expect([status, body.error.code]).toEqual([400, becomes]);
      expect(body.error).toMatchObject({ error_user_title: expect.any(String), error_user_msg: expect.any(String) });
      expect([await statusOf(id), await told()]).toEqual([from, []]);
      return;
    }
    expect([status, body.success]).toEqual([200, true]);
    if (becomes === 'gone') expect((await house.get(`/v23.0/${id}`)).body.error.code).toBe(100);
    else expect(await statusOf(id)).toBe(becomes);
    const value = { event: 'FLOW_STATUS_CHANGE', flow_id: id, old_status: from, new_status: becomes };
    const changed = becomes !== from && becomes !== 'gone';
    expect(await told()).toEqual(changed ? [{ account: wabaId, field: 'flows', value: expect.objectContaining(value) }] : []);
  });
});

describe('create', () => {
  test('as a form, with the list as text; as JSON; as fields of an address', async () => {
    const fields = { name: 'one', categories: '["SURVEY","OTHER"]', flow_json: JSON.stringify(goodFlow()), publish: 'true' };
    const { body } = await post(`${wabaId}/flows`, form(fields));
    expect(body).toEqual({ id: expect.stringMatching(/^\d+$/), success: true, validation_errors: [] });
    expect(await statusOf(body.id)).toBe('PUBLISHED');
    expect((await post(`${wabaId}/flows`, new URLSearchParams({ name: 'two', categories: '["OTHER"]' }))).status).toBe(200);
    expect((await house.ask('POST', `/${wabaId}/flows`, { name: 'three', categories: ['OTHER'] })).status).toBe(200);
  });

  test('a clone has the document of the other, and is a draft', async () => {
    const source = await put({ status: 'PUBLISHED' });
    const { body } = await house.ask('POST', `/${wabaId}/flows`, { name: 'Clone', categories: ['OTHER'], clone_flow_id: source });
    expect(body).toMatchObject({ success: true, validation_errors: [] });
    const [asset] = (await house.get(`/v23.0/${body.id}/assets`)).body.data;
    expect(await (await fetch(asset.download_url)).json()).toEqual(goodFlow());
    expect(await statusOf(body.id)).toBe('DRAFT');
  });

  test.each([
    ['no name', { name: undefined }, 'name'],
    ['a name of 201', { name: 'x'.repeat(201) }, 'name'],
    ['no category', { categories: [] }, 'categories'],
    ['a category that is none', { categories: ['COOKING'] }, 'COOKING'],
    ['a clone of what is not there', { clone_flow_id: '1' }, 'specified ID'],
    ['an endpoint without TLS', { endpoint_uri: 'http://example.com' }, 'endpoint_uri'],
    ['a document that is an object', { flow_json: goodFlow() }, 'flow_json'],
    ['published with faults', { flow_json: JSON.stringify({ ...goodFlow(), screens: [] }), publish: true }, 'Validation Errors'],
  ])('%s is refused, and nothing is made', async (_what, change, words) => {
    const { status, body } = await house.ask('POST', `/${wabaId}/flows`, { name: 'x', categories: ['OTHER'], ...change });
    expect([status, JSON.stringify(body.error)]).toEqual([400, expect.stringContaining(words)]);
    expect((await house.get('/_control/flows')).body.flows).toEqual([]);
  });
});

test('a document is kept with its faults, which are told, and cannot be published', async () => {
  const id = await put();
  const { status, body } = await upload(id, JSON.stringify({ ...goodFlow(), colour: 'red' }));
  expect([status, body.success]).toEqual([200, true]);
  expect(body.validation_errors).toEqual([expect.objectContaining({ error: 'INVALID_PROPERTY' })]);
  expect((await house.get(`/v23.0/${id}`)).body.validation_errors).toEqual(body.validation_errors);
  expect((await acts.publish!(id)).body.error.code).toBe(139002);
});

test('an asset needs its name, its type and a file, of at most 10 MB', async () => {
  const id = await put();
  const refused = [
    form({ asset_type: 'FLOW_JSON' }, '{}'),
    form({ name: 'flow.json', asset_type: 'OTHER' }, '{}'),
    form(asset),
    form(asset, `{"version":"7.2","x":"${'x'.repeat(10 * 1024 * 1024)}"}`),
  ];
  for (const body of refused) expect((await post(`${id}/assets`, body)).body.error.code).toBe(100);
});

test('the address of a document asks for no token, and is good for some minutes', async () => {
  const id = await put();
  const [{ download_url }] = (await house.get(`/v23.0/${id}/assets`)).body.data;
  expect((await fetch(download_url)).status).toBe(200);
  expect((await fetch(`${download_url}x`)).status).toBe(403);
});

test('a token finds the flows of its own accounts alone', async () => {
  await house.control('accounts', { waba_id: '7', phone_number_id: '8', display_phone_number: '+1 1', access_token: 'other' });
  const id = await put();
  const other = { authorization: 'Bearer other' };
  for (const [method, path] of [
    ['GET', id],
    ['POST', id],
    ['DELETE', id],
    ['GET', `${id}/assets`],
    ['POST', `${id}/publish`],
  ])
    expect((await house.ask(method!, `/v23.0/${path}`, method === 'POST' ? {} : undefined, other)).body.error.code).toBe(100);
  expect((await house.ask('GET', '/v23.0/7/flows', undefined, other)).body.data).toEqual([]);
  expect((await house.ask('GET', `/v23.0/${wabaId}/flows`, undefined, other)).body.error.code).toBe(100);
});

describe('what happens at the provider by itself', () => {
  test('an edit in its own pages makes a draft of a published flow, or leaves it published', async () => {
    const [first, second] = [await put({ status: 'PUBLISHED' }), await put({ status: 'PUBLISHED', name: 'Other' })];
    await house.control(`flows/${first}/edit`, { flow_json: { ...goodFlow(), version: '7.3' } });
    await house.control(`flows/${second}/edit`, { name: 'Renamed', keeps_status: true });
    expect((await house.get(`/v23.0/${first}?fields=status,json_version`)).body).toMatchObject({
      status: 'DRAFT',
      json_version: '7.3',
    });
    expect((await house.get(`/v23.0/${second}`)).body).toMatchObject({ status: 'PUBLISHED', name: 'Renamed' });
    expect(await told()).toEqual([
      expect.objectContaining({ value: expect.objectContaining({ flow_id: first, new_status: 'DRAFT' }) }),
    ]);
  });

  test('a status that is told, or not', async () => {
    const id = await put({ status: 'PUBLISHED' });
    await house.control(`flows/${id}/status`, { status: 'THROTTLED', is_told: false });
    expect([await statusOf(id), await told()]).toEqual(['THROTTLED', []]);
    await house.control(`flows/${id}/status`, { status: 'BLOCKED', time: 1_700_000_000 });
    await house.settled();
    expect(JSON.parse(house.receiver.received[0]!.raw.toString()).entry[0]).toMatchObject({
      id: wabaId,
      time: 1_700_000_000,
      changes: [{ field: 'flows', value: { old_status: 'THROTTLED', new_status: 'BLOCKED' } }],
    });
    expect(house.receiver.received[0]!.headers['x-hub-signature-256']).toMatch(/^sha256=[0-9a-f]{64}$/);
  });

  test('an alert', async () => {
    const id = await put();
    await house.control(`flows/${id}/alert`, { event: 'ENDPOINT_LATENCY', p90_latency: 7_000, threshold: 5_000 });
    expect(await told()).toEqual([
      expect.objectContaining({
        value: expect.objectContaining({ event: 'ENDPOINT_LATENCY', flow_id: id, alert_state: 'ACTIVATED', p90_latency: 7_000 }),
      }),
    ]);
  });

  test.each([
    ['flows/1/edit', { name: 'x' }, 404],
    ['flows/1/status', { status: 'DRAFT' }, 404],
    ['flows', { waba_id: '1', name: 'x' }, 422],
    ['flows', { waba_id: wabaId, name: 'x', flow_json: '{' }, 422],
    ['flows', { waba_id: wabaId, name: 'x', status: 'GONE' }, 422],
  ])('%s %j: %i', async (path, body, status) => {
    expect((await house.control(path, body)).status).toBe(status);
  });
});

describe('faults', () => {
  test.each([
    ['drop_webhooks', 0],
    ['duplicate_webhook', 2],
  ])('%s', async (kind, count) => {
    const id = await put();
    await house.control('faults', { kind, match: { path: id } });
    await acts.publish!(id);
    expect(await told()).toHaveLength(count);
  });

  test.each([
    ['drop_before', 'DRAFT'],
    ['drop_after', 'PUBLISHED'],
  ])('%s', async (kind, becomes) => {
    const id = await put();
    await house.control('faults', { kind, match: { path: id, method: 'POST' } });
    await expect(acts.publish!(id)).rejects.toThrow();
    expect(await statusOf(id)).toBe(becomes);
  });
});

test('calls about flows are counted for each account, and how many within a second', async () => {
  const id = await put();
  const calls = async () => (await house.get('/_control/stats')).body.accounts[wabaId].flow_calls;
  expect(await calls()).toEqual({ accepted: 0, max_in_one_second: 0 });
  await house.get(`/v23.0/${wabaId}/flows`);
  await house.get(`/v23.0/${id}`);
  await acts.publish!(id);
  await house.get(`/v23.0/${phoneNumberId}/whatsapp_business_encryption`);
  // Neither a file's address nor another part of the account.
  await house.get(`/v23.0/${wabaId}/message_templates`);
  expect(await calls()).toEqual({ accepted: 4, max_in_one_second: expect.any(Number) });
  expect((await calls()).max_in_one_second).toBeGreaterThan(1);
});
