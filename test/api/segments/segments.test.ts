import { beforeEach, describe, expect, test } from '@jest/globals';
import { type Body, type Tenant, useApp } from '../../support/app.ts';
import { listedActs } from '../../support/listed-acts.ts';
import { storedSegments } from '../../support/stored/contacts.ts';

const app = useApp();
let tenant: Tenant;

beforeEach(async () => {
  tenant = await app.organization();
});

const create = (body: object, key = tenant.key) => app.call('segments.create', { key, body });
const patch = (segmentID: string, body: object, key = tenant.key) =>
  app.call('segments.update', { key, params: { segmentID }, body });
const get = (segmentID: string, key = tenant.key) => app.call('segments.get', { key, params: { segmentID } });
const remove = (segmentID: string, key = tenant.key) => app.call('segments.delete', { key, params: { segmentID } });
const count = (segmentID: string, key = tenant.key) => app.call('segments.count', { key, params: { segmentID } });
const list = async (query = {}) => (await app.call('segments.list', { key: tenant.key, query })).body;
const contact = async (body: object) => (await app.call('contacts.create', { key: tenant.key, body })).body.data.id;

const gold = { name: 'Gold', kind: 'dynamic', filters: [{ field: 'custom_fields.tier', value: 'gold' }] };
const stored = async () =>
  storedSegments.all(
    app,
    { organization_id: tenant.organizationId, deleted_at: null },
    { columns: ['name', 'search', 'filters', 'tags'] },
  );

test('made, read, listed, changed and deleted', async () => {
  const { status, body, headers } = await create({ ...gold, search: 'ada', tags: ['vip'] });
  expect(status).toBe(201);
  expect(headers.get('location')).toBe(`/v1/segments/${body.id}`);
  expect(body).toMatchObject({
    name: 'Gold',
    kind: 'dynamic',
    description: '',
    search: 'ada',
    filters: [{ field: 'custom_fields.tier', operator: 'eq', value: 'gold' }],
    tags: ['vip'],
    count: null,
    counted_at: null,
  });
  expect((await get(body.id)).body).toEqual(body);
  const { body: guests } = await create({ name: 'Guests', kind: 'static', description: 'Of the party' });
  expect(guests).toMatchObject({ kind: 'static', description: 'Of the party', search: '', filters: [], tags: [] });
  expect((await list()).items).toEqual([guests, body]);
  const first = await list({ limit: 1, include_total: true });
  expect(first).toMatchObject({ items: [{ id: guests.id }], meta: { total: 2 } });
  expect((await list({ limit: 1, cursor: first.meta.next_cursor })).items).toEqual([body]);
  const changed = await patch(body.id, { name: 'GOLD', description: 'The best', tags: [] });
  expect(changed.body).toMatchObject({ name: 'GOLD', description: 'The best', search: 'ada', tags: [] });
  expect([(await remove(body.id)).status, (await remove(body.id)).status]).toEqual([204, 404]);
  expect([(await get(body.id)).status, (await patch(body.id, { name: 'x' })).status]).toEqual([404, 404]);
  expect((await list()).items).toEqual([guests]);
  expect((await create({ name: 'gold', kind: 'static' })).status).toBe(201);
});

test('a name is unique in any case and accents, for each organization', async () => {
  const [{ body: one }, { body: two }] = [
    await create({ name: 'Händler', kind: 'static' }),
    await create({ name: 'Guests', kind: 'static' }),
  ];
  const taken = { status: 409, body: { error: { details: [{ field: 'name', code: 'segment.name', value: one.id }] } } };
  expect(await create({ name: 'HANDLER', kind: 'dynamic' })).toMatchObject(taken);
  expect(await patch(two.id, { name: 'handler' })).toMatchObject(taken);
  expect((await patch(one.id, { name: 'HÄNDLER' })).status).toBe(200);
  const another = await app.organization();
  expect((await create({ name: 'Händler', kind: 'static' }, another.key)).status).toBe(201);
});

test('at most 500, however many are made at once', async () => {
  await storedSegments.addMany(app, 499, (n) => ({ organization_id: tenant.organizationId, name: `S${n}`, kind: 'static' }));
  const replies = await Promise.all(['x', 'y', 'z'].map((name) => create({ name, kind: 'static' })));
  expect(replies.map(({ status }) => status).sort()).toEqual([201, 422, 422]);
  expect(replies.find(({ status }) => status === 422)!.body.error.code).toBe('limit_reached');
});

describe('what it is made of is checked as the list of contacts checks it', () => {
  const filter = (one: object) => ({ ...gold, filters: [{ field: 'name', value: 'Ada' }, one] });
  const bad: [string, object, string][] = [
    ['an unknown field', filter({ field: 'shoe_size', value: 1 }), 'filters[1].field'],
    ['an operator of another type', filter({ field: 'created_at', operator: 'contains', value: '2026' }), 'filters[1].operator'],
    ['an unknown operator', filter({ field: 'name', operator: 'like', value: 'A' }), 'filters[1].operator'],
    ['a value of another type', filter({ field: 'created_at', operator: 'gt', value: 'yesterday' }), 'filters[1].value'],
    ['no value', filter({ field: 'email' }), 'filters[1].value'],
    ['a value too many', filter({ field: 'email', operator: 'is_empty', value: 1 }), 'filters[1].value'],
    ['more than a filter has', filter({ field: 'name', value: 'A', or: 1 }), 'filters[1].or'],
    ['a filter that is none', { ...gold, filters: ['name'] }, 'filters[0]'],
    ['too many filters', { ...gold, filters: Array(21).fill(gold.filters[0]) }, 'filters'],
    ['too many with the tags', { ...gold, filters: Array(20).fill(gold.filters[0]), tags: ['vip'] }, 'filters'],
    ['too much in them', filter({ field: 'name', operator: 'in', value: Array(90).fill('x'.repeat(1_000)) }), 'filters'],
    ['text for filters', { ...gold, filters: '[]' }, 'filters'],
    ['too long a search', { ...gold, search: 'x'.repeat(201) }, 'search'],
    ['an empty tag', { ...gold, tags: [''] }, 'tags[0]'],
    ['no name', { ...gold, name: ' ' }, 'name'],
    ['too long a name', { ...gold, name: 'x'.repeat(201) }, 'name'],
    ['a name of two lines', { ...gold, name: 'a\nb' }, 'name'],
    ['no kind', { name: 'Gold' }, 'kind'],
    ['an unknown kind', { ...gold, kind: 'other' }, 'kind'],
    ['too long a description', { ...gold, description: 'x'.repeat(2_001) }, 'description'],
    ['a static one with filters', { ...gold, kind: 'static' }, 'filters'],
    ['a static one with a search', { name: 'Gold', kind: 'static', search: 'a' }, 'search'],
    ['a static one with tags', { name: 'Gold', kind: 'static', tags: ['vip'] }, 'tags'],
  ];

  test.each(bad)('%s: 422 at its field, and nothing is stored', async (_, body, field) => {
    const reply = await create(body);
    expect([reply.status, reply.body.error.details.map((one: Body) => one.field)]).toEqual([422, [field]]);
    expect(await stored()).toEqual([]);
  });

  test('and so is a change, which changes nothing then', async () => {
    const [dynamic, fixed] = [(await create(gold)).body.id, (await create({ name: 'Guests', kind: 'static' })).body.id];
    const before = await stored();
    const wrong = { filters: [{ field: 'shoe_size', value: 1 }], name: 'Shoes' };
    expect(await patch(dynamic, wrong)).toMatchObject({
      status: 422,
      body: { error: { details: [{ field: 'filters[0].field', location: 'body' }] } },
    });
    expect(await patch(fixed, { tags: ['vip'] })).toMatchObject({
      status: 422,
      body: { error: { details: [{ field: 'tags' }] } },
    });
    expect(await patch(fixed, { kind: 'dynamic' })).toMatchObject({
      status: 422,
      body: { error: { details: [{ field: 'kind' }] } },
    });
    expect((await patch(fixed, {})).status).toBe(422);
    expect(await stored()).toEqual(before);
  });
});

test('counted when asked, kept until other contacts match', async () => {
  for (const tier of ['gold', 'gold', 'silver'])
    await contact({ external_source: 'shop', external_id: String(Math.random()), custom_fields: { tier } });
  const { id } = (await create(gold)).body;
  const counted = await count(id);
  expect(counted).toMatchObject({ status: 200, body: { id, count: 2, counted_at: expect.any(String) } });
  expect((await get(id)).body).toEqual(counted.body);
  expect((await list()).items).toEqual([counted.body]);
  expect((await patch(id, { name: 'Golden' })).body).toMatchObject({ count: 2 });
  expect((await patch(id, { filters: [] })).body).toMatchObject({ count: null, counted_at: null });
  expect((await count(id)).body.count).toBe(3);
  const { id: fixed } = (await create({ name: 'Guests', kind: 'static' })).body;
  expect((await count(fixed)).body.count).toBe(0);
  await remove(fixed);
  expect((await count(fixed)).status).toBe(404);
});

test('a count needs the scope that reads contacts too, and says so', async () => {
  const { id } = (await create(gold)).body;
  const { key } = await app.key(tenant.organizationId, ['campaigns:read']);
  const refused = await count(id, key);
  expect([refused.status, refused.body.error.message]).toEqual([403, expect.stringContaining('contacts:read')]);
  expect((await get(id, key)).status).toBe(200);
  const both = await app.key(tenant.organizationId, ['campaigns:read', 'contacts:read']);
  expect((await count(id, both.key)).status).toBe(200);
});

test('who changed it stands in the audit log', async () => {
  const { id } = (await create(gold)).body;
  await patch(id, { name: 'Golden', tags: ['vip'] });
  await remove(id);
  const acts = await listedActs(app, { subject: `segment:${id}` }, { key: tenant.key, columns: ['action', 'details'] });
  expect(acts).toEqual([
    { action: 'segments.create', details: null },
    { action: 'segments.update', details: { changed: ['name', 'tags'] } },
    { action: 'segments.delete', details: null },
  ]);
});
