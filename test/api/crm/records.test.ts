import { beforeAll, describe, expect, test } from '@jest/globals';
import { uuidv7 } from '../../../src/platform/ids.ts';
import { type Body, useApp } from '../../support/app.ts';
import { objectType, options } from '../../support/factories/object-type.ts';
import { person } from '../../support/factories/person.ts';
import { storedMemberships } from '../../support/stored/accounts.ts';
import { storedEvents } from '../../support/stored/api-events.ts';
import { storedRecordValues } from '../../support/stored/crm.ts';
import { storedState } from '../../support/stored.ts';

const app = useApp();
const kind = 'vehicle';
let member: string;

const valid: Record<string, unknown> = {
  text: 'A text',
  long_text: 'Lines\nof text ',
  number: 1.5,
  integer: 12,
  boolean: false,
  date: '2026-02-28',
  datetime: '2026-11-25T10:00:00.000Z',
  select: 'red',
  multi_select: ['red', 'blue'],
  email: 'fleet@example.com',
  phone: '+16505550199',
  url: 'https://example.com/a?b=c',
  currency: { amount_minor: '125000', currency_code: 'EUR' },
  json: { deep: [1, { text: 'é' }] },
};
const types = [...Object.keys(valid), 'user'];

beforeAll(async () => {
  member = (await person(app.em(), app.tenant.organizationId)).userId;
  valid.user = member;
  await objectType(app, app.tenant.organizationId, {
    kind,
    fields: [
      ...types.map((type) => ({
        name: `a_${type}`,
        type: type as 'text',
        isIndexed: !['json', 'long_text', 'url'].includes(type),
        options: type.endsWith('select') ? options('red', 'green', 'blue') : [],
      })),
      { name: 'plate', type: 'text', isUnique: true, isIndexed: true },
      { name: 'seats', type: 'integer', defaultValue: 4, min: 1, max: 9 },
    ],
  });
});

const create = (body: object, objectKind = kind, key?: string) =>
  app.call('crm.records.create', { params: { objectKind }, body, key });
const at = (recordID: string) => ({ params: { objectKind: kind, recordID } });
const patch = (id: string, body: object) => app.call('crm.records.update', { ...at(id), body });
const get = (id: string) => app.call('crm.records.get', at(id));
const history = async (id: string): Promise<Body[]> => (await app.call('crm.records.history', at(id))).body.items;
const told = async (id: string) => (await app.events(id)).map(({ type, data }) => [type, [...data.changed].sort()]);
const indexRows = (id: string) => storedRecordValues.all(app, { record_id: id }, { columns: ['field_id'] });

/** Of 2.9: what each field is, and what it is when there is nothing to say. */
const fieldsOfRecord: Record<string, { isRight(value: unknown): boolean; nothing?: unknown }> = {
  id: { isRight: (value) => typeof value === 'string' && value.length === 36 },
  kind: { isRight: (value) => value === kind },
  display_name: { isRight: (value) => typeof value === 'string', nothing: '' },
  created_at: { isRight: (value) => new Date(String(value)).toISOString() === value },
  updated_at: { isRight: (value) => new Date(String(value)).toISOString() === value },
  fields: { isRight: (value) => JSON.stringify(value)[0] === '{', nothing: { seats: 4 } },
  custom_fields: { isRight: (value) => JSON.stringify(value)[0] === '{', nothing: {} },
  metadata: { isRight: (value) => JSON.stringify(value)[0] === '{', nothing: {} },
  relationships_summary: { isRight: (value) => JSON.stringify(value)[0] === '{', nothing: {} },
  revision: { isRight: (value) => Number.isInteger(value) },
};

describe('what a record shows', () => {
  test('every field of 2.9 is there with nothing given, and enrichment_summary is not', async () => {
    const { status, body } = await create({});
    expect(status).toBe(201);
    expect(Object.keys(body).sort()).toEqual(Object.keys(fieldsOfRecord).sort());
    for (const [name, { nothing }] of Object.entries(fieldsOfRecord))
      if (nothing !== undefined) expect([name, body[name]]).toEqual([name, nothing]);
  });

  test.each(Object.entries(fieldsOfRecord))('%s is of its type', async (name, { isRight }) => {
    const { body } = await create({ fields: { name: 'Bus' }, custom_fields: { color: 'red' }, metadata: { a: [1] } });
    expect([body[name], isRight(body[name])]).toEqual([body[name], true]);
  });

  test.each(types)('a value of the type %s reads back as it was given', async (type) => {
    const { status, body } = await create({ fields: { [`a_${type}`]: valid[type] } });
    expect([status, body.fields]).toEqual([201, { [`a_${type}`]: valid[type], seats: 4 }]);
    expect((await get(body.id)).body).toEqual(body);
  });

  test('its name is the display field, its created_at the time in its id', async () => {
    const { body } = await create({ fields: { name: '  Bus 42 ' } });
    expect([body.display_name, body.fields.name]).toEqual(['Bus 42', 'Bus 42']);
    expect(Date.parse(body.created_at)).toBe(Number.parseInt(body.id.replaceAll('-', '').slice(0, 12), 16));
  });

  test('company is there without being defined', async () => {
    const { key } = await app.organization();
    const made = await create({ fields: { name: 'Engines' } }, 'company', key);
    expect([made.status, made.body.display_name]).toEqual([201, 'Engines']);
    expect(made.headers.get('location')).toBe(`/v1/crm/object-types/company/records/${made.body.id}`);
    expect(made.body.relationships_summary).toEqual({
      contacts: { count: 0, has_more: false, items: [] },
      deals: { count: 0, has_more: false, items: [] },
    });
  });

  test('sources that gave it something are told, the latest first', async () => {
    const { body } = await create({ fields: { name: 'Bus' }, enrichment: { source: 'registry' } });
    await patch(body.id, { fields: { a_integer: 3 }, enrichment: { source: 'scraper' } });
    const { body: after } = await patch(body.id, {
      fields: { a_text: 'x' },
      custom_fields: { k: 1 },
      enrichment: { source: 'registry' },
    });
    const shown = after.enrichment_summary.sources.map(({ source, fields }: Body) => [source, fields]);
    expect(shown).toEqual([
      ['registry', ['a_text', 'custom_fields.k', 'name']],
      ['scraper', ['a_integer']],
    ]);
    const { body: same } = await patch(body.id, { fields: { a_text: 'x' }, enrichment: { source: 'third' } });
    expect([same.revision, same.enrichment_summary.sources[0].source]).toEqual([after.revision, 'third']);
  });

  test('with an Idempotency-Key it is created once', async () => {
    const ask = () =>
      app.call('crm.records.create', { params: { objectKind: kind }, body: {}, headers: { 'idempotency-key': 'record-1' } });
    const [first, second] = [await ask(), await ask()];
    expect([second.status, second.body.id]).toEqual([201, first.body.id]);
  });
});

describe('a change', () => {
  test('is one revision, one row of history and one event', async () => {
    const { body } = await create({ fields: { name: 'Bus', a_integer: 1 }, custom_fields: { a: 1 } });
    const { body: after, status } = await patch(body.id, {
      fields: { a_integer: 2, a_text: 'new', name: null },
      custom_fields: { a: null, b: 2 },
      metadata: { m: true },
    });
    expect([status, after.revision, after.display_name]).toEqual([200, 2, '']);
    expect([after.fields, after.custom_fields, after.metadata]).toEqual([
      { a_integer: 2, a_text: 'new', seats: 4 },
      { b: 2 },
      { m: true },
    ]);
    const [change, creation] = await history(body.id);
    expect(change!.changes).toEqual({
      name: { from: 'Bus', to: null },
      a_integer: { from: 1, to: 2 },
      a_text: { from: null, to: 'new' },
      'custom_fields.a': { from: 1, to: null },
      'custom_fields.b': { from: null, to: 2 },
      metadata: { from: {}, to: { m: true } },
    });
    expect([change!.revision, change!.actor]).toEqual([2, `key:${app.tenant.keyId}`]);
    expect(creation!.changes).toEqual({
      name: { from: null, to: 'Bus' },
      a_integer: { from: null, to: 1 },
      seats: { from: null, to: 4 },
      'custom_fields.a': { from: null, to: 1 },
    });
    expect(await told(body.id)).toEqual([
      ['record.created', ['a_integer', 'custom_fields', 'name', 'seats']],
      ['record.updated', ['a_integer', 'a_text', 'custom_fields', 'metadata', 'name']],
    ]);
    const events = await storedEvents.all(app, { subject_id: body.id }, { columns: ['id'], orderBy: 'seq' });
    expect([creation!.event_id, change!.event_id]).toEqual(events.map(({ id }) => id));
  });

  test('of nothing makes none of them', async () => {
    const { body } = await create({ fields: { name: 'Bus' }, metadata: { a: 1 } });
    const same = await patch(body.id, { fields: { name: 'Bus', a_text: null }, metadata: { a: 1 }, custom_fields: {} });
    expect([same.status, same.body]).toEqual([200, body]);
    expect([(await history(body.id)).length, (await told(body.id)).length]).toEqual([1, 1]);
  });

  test('of a stale revision is a 409 that names the present one, and changes nothing', async () => {
    const { body } = await create({ fields: { name: 'Bus' } });
    await patch(body.id, { fields: { name: 'Car' }, revision: 1 });
    const before = await storedState(app);
    const { status, body: error } = await patch(body.id, { fields: { name: 'Van' }, revision: 1 });
    expect([status, error.error.details[0]]).toMatchObject([409, { field: 'revision', code: 'revision.stale', value: '2' }]);
    expect(await storedState(app)).toBe(before);
  });

  test('20 at once: each is one revision, and the history tells the path', async () => {
    const { body } = await create({ fields: { a_integer: 0 } });
    await Promise.all(Array.from({ length: 20 }, (_, index) => patch(body.id, { fields: { a_integer: index + 1 } })));
    const rows = (await history(body.id)).reverse();
    expect(rows.map(({ revision }) => revision)).toEqual(Array.from({ length: 21 }, (_, index) => index + 1));
    for (const [index, row] of rows.entries())
      if (index > 0) expect(row.changes.a_integer.from).toBe(rows[index - 1]!.changes.a_integer.to);
    expect((await get(body.id)).body.fields.a_integer).toBe(rows.at(-1)!.changes.a_integer.to);
  });
});

describe('the bin', () => {
  test('a record in it is out of every read, and restored as it was', async () => {
    const { body } = await create({ fields: { name: 'Bus', plate: 'AB 1' }, custom_fields: { a: 1 } });
    const rows = (await indexRows(body.id)).length;
    expect((await app.call('crm.records.delete', at(body.id))).status).toBe(204);
    expect((await app.call('crm.records.delete', at(body.id))).status).toBe(404);
    expect([(await get(body.id)).status, (await patch(body.id, { metadata: {} })).status]).toEqual([404, 404]);
    expect((await app.call('crm.records.history', at(body.id))).status).toBe(404);
    expect(
      (await app.call('crm.records.list', { params: { objectKind: kind }, query: { search: 'Bus' } })).body.items.map(
        ({ id }: Body) => id,
      ),
    ).not.toContain(body.id);
    expect(await indexRows(body.id)).toEqual([]);
    const { status, body: restored } = await app.call('crm.records.restore', at(body.id));
    expect([status, restored.revision, (await indexRows(body.id)).length]).toEqual([200, 3, rows]);
    expect(restored).toEqual({ ...body, revision: 3, updated_at: restored.updated_at });
    expect((await told(body.id)).map(([type]) => type)).toEqual(['record.created', 'record.deleted', 'record.created']);
  });

  test('a record that is not in it stays as it is, as a deal or a task does; one that is nowhere is a 404', async () => {
    const { body } = await create({ fields: { name: 'Bus' } });
    const before = await storedState(app);
    const { status, body: restored } = await app.call('crm.records.restore', at(body.id));
    expect([status, restored]).toEqual([200, body]);
    expect((await app.call('crm.records.restore', at(uuidv7()))).status).toBe(404);
    expect(await storedState(app)).toBe(before);
  });

  test('reserves no value: another takes it, and the restore is a 409 that changes nothing', async () => {
    const { body } = await create({ fields: { plate: 'ZZ 9' } });
    const taken = await create({ fields: { plate: 'zz 9' } });
    expect([taken.status, taken.body.error.details[0]]).toMatchObject([409, { field: 'fields.plate', code: 'unique' }]);
    await app.call('crm.records.delete', at(body.id));
    const second = await create({ fields: { plate: 'ZZ 9' } });
    expect(second.status).toBe(201);
    const before = await storedState(app);
    expect((await app.call('crm.records.restore', at(body.id))).status).toBe(409);
    expect(await storedState(app)).toBe(before);
    await patch(second.body.id, { fields: { plate: 'ZZ 8' } });
    expect((await app.call('crm.records.restore', at(body.id))).status).toBe(200);
  });
});

describe('bad input: a 422 with its path, and nothing changes', () => {
  const deep = (depth: number): unknown => (depth === 0 ? 1 : { a: deep(depth - 1) });
  const refusal = async (body: object | string) => {
    const before = await storedState(app);
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const { status, body: reply } = await app.raw('POST', `/v1/crm/object-types/${kind}/records`, {
      headers: { 'content-type': 'application/json' },
      body: text,
    });
    expect(await storedState(app)).toBe(before);
    return [status, reply.error?.details?.[0]?.field];
  };

  /** What the values of other types also are. */
  const fits: Record<string, string[]> = {
    text: types.filter((type) => !['number', 'integer', 'boolean', 'multi_select', 'currency', 'json'].includes(type)),
    number: ['integer'],
    integer: [],
    select: [],
    multi_select: [],
    json: types,
  };
  const strings = fits.text!;
  fits.long_text = strings;
  const pairs = types.flatMap((type) =>
    types.filter((other) => other !== type && !(fits[type] ?? []).includes(other)).map((other) => [type, other] as const),
  );
  test.each(pairs)('a field of the type %s with a value of the type %s', async (type, other) => {
    expect(await refusal({ fields: { [`a_${type}`]: valid[other] } })).toEqual([422, expect.stringMatching(`^fields.a_${type}`)]);
  });

  test.each<[string, unknown, string]>([
    ['64 kB + 1', { fields: { a_json: 'x'.repeat(65_536 - 20) } }, 'fields'],
    ['depth 33', { fields: { a_json: deep(33) } }, 'fields.a_json'],
    ['half a surrogate pair', '{"fields":{"a_text":"\\ud800"}}', 'fields.a_text'],
    ['NUL', '{"fields":{"a_text":"\\u0000"}}', 'fields.a_text'],
    ['1e400', '{"fields":{"a_number":1e400}}', 'fields.a_number'],
    ['1e400 in JSON', '{"fields":{"a_json":{"n":1e400}}}', 'fields.a_json.n'],
    ['1e400 in a custom field', '{"custom_fields":{"n":[1e400]}}', 'custom_fields.n[0]'],
    ['1e400 in metadata', '{"metadata":{"n":1e400}}', 'metadata.n'],
    ['an unknown field', { fields: { nothing: 1 } }, 'fields.nothing'],
    ['__proto__', '{"fields":{"__proto__":1}}', 'fields.__proto__'],
    ['constructor', { fields: { constructor: 1 } }, 'fields.constructor'],
    ['below the minimum', { fields: { seats: 0 } }, 'fields.seats'],
    ['above the maximum', { fields: { seats: 10 } }, 'fields.seats'],
    ['not an option', { fields: { a_select: 'pink' } }, 'fields.a_select'],
    ['not an option of several', { fields: { a_multi_select: ['red', 'pink'] } }, 'fields.a_multi_select[1]'],
    ['30 February', { fields: { a_date: '2026-02-30' } }, 'fields.a_date'],
    ['the year 10000', { fields: { a_date: '10000-01-01' } }, 'fields.a_date'],
    ['no zone', { fields: { a_datetime: '2026-11-25T10:00:00' } }, 'fields.a_datetime'],
    [
      'an amount that is a number',
      { fields: { a_currency: { amount_minor: 1, currency_code: 'EUR' } } },
      'fields.a_currency.amount_minor',
    ],
    ['a user who is no member', { fields: { a_user: '0193ffff-3a0e-7cc4-8f4e-0242ac120004' } }, 'fields.a_user'],
    ['metadata that is a list', { metadata: [] }, 'metadata'],
    ['metadata of 16 kB + 1', { metadata: { a: 'x'.repeat(16_384) } }, 'metadata'],
    ['an enrichment without its source', { enrichment: {} }, 'enrichment.source'],
    ['fields that are a list', { fields: [] }, 'fields'],
    ['what a record does not take', { display_name: 'x' }, 'display_name'],
  ])('%s', async (_name, body, field) => {
    expect(await refusal(body as object | string)).toEqual([422, field]);
  });

  test('a user who has left since stays in a record that is written whole, in a batch too, and can be given to no other', async () => {
    const { userId } = await person(app.em(), app.tenant.organizationId, 'agent');
    const { body } = await create({ fields: { a_user: userId, a_text: 'one' } });
    await storedMemberships.remove(app, { user_id: userId });
    const whole = (a_text: string) => ({ fields: { ...body.fields, a_text } });
    const patched = await patch(body.id, whole('two'));
    expect([patched.status, patched.body.fields]).toMatchObject([200, { a_user: userId, a_text: 'two' }]);
    const update = { operation: 'update', id: body.id, ...whole('three') };
    const batch = await app.call('crm.records.batch', { params: { objectKind: kind }, body: { operations: [update] } });
    expect(batch.body.results).toMatchObject([{ status: 'updated' }]);
    const { body: other } = await create({ fields: { a_text: 'other' } });
    expect((await patch(other.id, { fields: { a_user: userId } })).status).toBe(422);
  });

  test('-0 is 0', async () => {
    const { body } = await app.raw('POST', `/v1/crm/object-types/${kind}/records`, {
      headers: { 'content-type': 'application/json' },
      body: '{"fields":{"a_number":-0,"a_integer":-0}}',
    });
    expect([Object.is(body.fields.a_number, 0), Object.is(body.fields.a_integer, 0)]).toEqual([true, true]);
  });

  test.each([
    ['contact', '/v1/contacts'],
    ['conversation', '/v1/conversations'],
    ['deal', '/v1/crm/deals'],
    ['task', '/v1/crm/tasks'],
  ])('%s is written at %s', async (objectKind, path) => {
    const { status, body } = await create({ fields: {} }, objectKind);
    expect([status, body.error.details[0]]).toMatchObject([422, { field: 'objectKind', location: 'path' }]);
    expect(body.error.message).toContain(path);
  });
});

describe('ids of others', () => {
  test('a record of another organization, of another kind, or a malformed id is a 404', async () => {
    const { key, organizationId } = await app.organization();
    await objectType(app, organizationId, { kind });
    const { body } = await create({ fields: { name: 'Bus' } });
    const company = (await create({ fields: { name: 'Engines' } }, 'company')).body.id;
    expect((await app.call('crm.records.get', { ...at(body.id), key })).status).toBe(404);
    expect((await app.call('crm.records.update', { ...at(body.id), body: { metadata: {} }, key })).status).toBe(404);
    expect((await app.call('crm.records.delete', { ...at(body.id), key })).status).toBe(404);
    for (const id of [company, 'nothing', '%00']) expect((await get(id)).status).toBe(404);
  });

  test('an object of a kind with its own table is read here too', async () => {
    const contact = (await app.call('contacts.create', { body: { name: 'Ada', phone_number: `+${app.phone()}` } })).body.data;
    const params = { objectKind: 'contact', recordID: contact.id };
    const { body } = await app.call('crm.records.get', { params });
    expect([body.display_name, body.fields.phone_number]).toEqual(['Ada', contact.phone_number]);
    const { key } = await app.key(app.tenant.organizationId, ['crm:read']);
    expect((await app.call('crm.records.get', { params, key })).status).toBe(403);
  });
});
