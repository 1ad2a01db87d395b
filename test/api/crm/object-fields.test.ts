import { expect, test } from '@jest/globals';
import { transactFor } from '../../../src/platform/ledger/tenant.ts';
import { type Body, useApp } from '../../support/app.ts';
import { records } from '../../support/factories/records.ts';

const app = useApp({ workers: true });
const transact = () => transactFor(app.web.deps.ledger.transact, app.tenant.organizationId);
const add = (objectKind: string, body: object) => app.call('crm.object-fields.create', { params: { objectKind }, body });
const wait = { prefer: 'wait=30' };
const change = (objectKind: string, fieldName: string, body: object) =>
  app.call('crm.object-fields.update', { params: { objectKind, fieldName }, body, headers: wait });
const remove = (objectKind: string, fieldName: string) =>
  app.call('crm.object-fields.delete', { params: { objectKind, fieldName }, headers: wait });
const fieldOf = async (objectKind: string, name: string) =>
  (await app.call('crm.object-types.get', { params: { objectKind } })).body.fields.find((one: Body) => one.name === name);
const valuesOf = (name: string) =>
  app.rows(
    `select v.text_value, v.number_value, v.is_unique from record_values v
       join object_fields f on f.organization_id = v.organization_id and f.id = v.field_id
      where f.name = $1 order by v.text_value, v.number_value`,
    [name],
  );

let made = 0;
async function kindOf(fields: object[], values: object[]): Promise<string> {
  made += 1;
  const kind = `kind${made}`;
  const body = { kind, label: 'Kind', fields: [{ name: 'name', type: 'text' }, ...fields] };
  expect((await app.call('crm.object-types.create', { body })).status).toBe(201);
  await records(transact(), kind, values as Record<string, unknown>[]);
  return kind;
}

test('a new field is there at once, indexed without work', async () => {
  const kind = await kindOf([], [{ name: 'a' }]);
  const added = await add(kind, { name: 'budget', type: 'number', indexed: true, default: 5 });
  expect([added.status, added.headers.get('operation-id')]).toEqual([201, null]);
  expect(added.body).toMatchObject({ name: 'budget', label: 'budget', index_state: 'ready', default: 5 });
  expect(await fieldOf(kind, 'budget')).toEqual(added.body);
  expect((await add(kind, { name: 'budget', type: 'text' })).status).toBe(409);
  expect((await add('nothing', { name: 'budget', type: 'text' })).status).toBe(404);
  expect((await add('contact', { name: 'budget', type: 'text' })).status).toBe(409);
});

test('an index of values that are there is an operation, and taken away again', async () => {
  const kind = await kindOf([{ name: 'size1', type: 'number' }], [{ size1: 2 }, { size1: 1 }, {}]);
  expect(await valuesOf('size1')).toEqual([]);
  const indexed = await change(kind, 'size1', { indexed: true });
  expect([indexed.status, indexed.body.index_state]).toEqual([200, 'ready']);
  expect((await valuesOf('size1')).map(({ number_value }) => number_value)).toEqual(['1', '2']);
  const plain = await change(kind, 'size1', { indexed: false });
  expect(plain.body).toMatchObject({ indexed: false, index_state: 'none' });
  expect(await valuesOf('size1')).toEqual([]);
});

test('unique: folded, and doubles make the operation fail with their ids and leave a field that is not', async () => {
  const kind = await kindOf([{ name: 'code1', type: 'text' }], [{ code1: 'A' }, { code1: 'a' }, { code1: 'b' }]);
  const refused = await change(kind, 'code1', { unique: true });
  expect(refused.status).toBeGreaterThanOrEqual(400);
  const ids = await app.rows(`select id from records where fields ->> 'code1' in ('A', 'a') order by id`);
  for (const { id } of ids) expect(JSON.stringify(refused.body)).toContain(id);
  await app.idle();
  expect(await fieldOf(kind, 'code1')).toMatchObject({ unique: false, indexed: true, index_state: 'ready' });
  expect((await valuesOf('code1')).map(({ text_value, is_unique }) => [text_value, is_unique])).toEqual([
    ['a', false],
    ['a', false],
    ['b', false],
  ]);
});

test('a unique value that is taken is a 409 naming the field', async () => {
  const kind = await kindOf([{ name: 'code2', type: 'text', unique: true }], [{ code2: 'Straße' }]);
  const error = await records(transact(), kind, [{ code2: 'STRASSE' }]).catch((fault) => fault);
  expect([error.status, error.details[0].field]).toEqual([409, 'fields.code2']);
  const made1 = await records(transact(), kind, [{ code2: 'other' }]);
  expect(made1).toHaveLength(1);
});

test('a removed field is gone at once, its values and index rows by an operation, and its name is free', async () => {
  const kind = await kindOf([{ name: 'gone1', type: 'text', indexed: true, searchable: true }], [{ name: 'n', gone1: 'Words' }]);
  const before = await app.one(`select search from records where fields ->> 'gone1' = 'Words'`);
  expect(before.search).toContain('words');
  expect((await remove(kind, 'gone1')).status).toBe(204);
  expect(await fieldOf(kind, 'gone1')).toBeUndefined();
  const [row] = await app.rows(`select fields, search from records where fields ->> 'name' = 'n'`);
  expect([row.fields, row.search]).toEqual([{ name: 'n' }, ' n\n']);
  expect(await valuesOf('gone1')).toEqual([]);
  expect((await add(kind, { name: 'gone1', type: 'number' })).status).toBe(201);
  expect((await remove(kind, 'nothing')).status).toBe(404);
  expect((await remove(kind, 'name')).status).toBe(409);
});

test('made searchable, records are found by it', async () => {
  const kind = await kindOf([{ name: 'note1', type: 'text' }], [{ name: 'x', note1: 'Findable' }]);
  expect((await change(kind, 'note1', { searchable: true })).status).toBe(200);
  const row = await app.one(`select search from records where fields ->> 'note1' = 'Findable'`);
  expect(row.search).toContain('findable');
});

test('names of records have the new label of an option, those in the bin too, and no record is changed', async () => {
  const size = {
    name: 'size',
    type: 'select',
    options: [
      { value: 's', label: 'Small' },
      { value: 'l', label: 'Large' },
    ],
  };
  made += 1;
  const kind = `kind${made}`;
  await app.call('crm.object-types.create', { body: { kind, label: 'Kind', display_field: 'size', fields: [size] } });
  const [one, binned, other] = await records(transact(), kind, [{ size: 's' }, { size: 's' }, { size: 'l' }]);
  const recordOf = (recordID: string) => ({ params: { objectKind: kind, recordID } });
  await app.call('crm.records.delete', recordOf(binned!.id));
  const renamed = await change(kind, 'size', { options: [{ value: 's', label: 'Tiny' }, size.options[1]] });
  expect([renamed.status, renamed.headers.get('operation-id')]).toEqual([200, expect.any(String)]);
  const { body } = await app.call('crm.records.get', recordOf(one!.id));
  expect(body).toMatchObject({ display_name: 'Tiny', revision: 1 });
  expect((await app.call('crm.records.get', recordOf(other!.id))).body.display_name).toBe('Large');
  expect((await app.call('crm.records.restore', recordOf(binned!.id))).body.display_name).toBe('Tiny');
  const found = await app.call('crm.records.list', { params: { objectKind: kind }, query: { search: 'tiny' } });
  expect(found.body.items.map(({ id }: Body) => id).sort()).toEqual([one!.id, binned!.id].sort());
});

test('only wider types, and options in use stay', async () => {
  const select = { name: 'colour', type: 'select', options: [{ value: 'red' }, { value: 'blue' }] };
  const kind = await kindOf([{ name: 'n1', type: 'integer' }, select], [{ n1: 1, colour: 'red' }]);
  expect((await change(kind, 'n1', { type: 'number' })).status).toBe(200);
  expect((await change(kind, 'n1', { type: 'boolean' })).body.error.details[0].field).toBe('type');
  expect((await change(kind, 'n1', { type: 'integer' })).status).toBe(422);
  const used = await change(kind, 'colour', { options: [{ value: 'blue' }] });
  expect([used.status, used.body.error.message]).toEqual([
    409,
    'The option red is in use. Records with it: 1. Name in replace_with what they get',
  ]);
  expect((await change(kind, 'colour', { options: [{ value: 'red' }] })).status).toBe(200);
  expect((await change(kind, 'colour', { type: 'text' })).body).toMatchObject({ type: 'text', options: [] });
});

test('required without a default where records are: 422', async () => {
  const kind = await kindOf([{ name: 'plain1', type: 'text' }], [{}]);
  expect((await add(kind, { name: 'must1', type: 'text', required: true })).body.error.details[0].field).toBe('required');
  expect((await change(kind, 'plain1', { required: true })).status).toBe(422);
  expect((await change(kind, 'plain1', { required: true, default: 'x' })).status).toBe(200);
  expect((await add(kind, { name: 'must1', type: 'text', required: true, default: 'x' })).status).toBe(201);
});

test.each([
  ['phone', '+1 (650) 555-0100', '+16505550100'],
  ['email', ' ANNA@Example.ORG ', 'anna@example.org'],
  ['datetime', '2026-01-01T00:00:00+14:00', '2025-12-31T10:00:00.000Z'],
])('a default of type %s is kept as a record would have it, and found by it', async (type, given, kept) => {
  const kind = await kindOf([], []);
  expect((await add(kind, { name: 'usual', type, default: given })).body.default).toBe(kept);
  const { body } = await app.call('crm.records.create', { params: { objectKind: kind }, body: { fields: { name: 'a' } } });
  expect(body.fields.usual).toBe(kept);
});

test.each([
  ['text', '   '],
  ['text', ''],
  ['multi_select', []],
])('a default of type %s that is no value, %j: 422', async (type, value) => {
  const kind = await kindOf([], []);
  const more = type === 'multi_select' ? { options: [{ value: 'a' }] } : {};
  const { status, body } = await add(kind, { name: 'usual', type, default: value, ...more });
  expect([status, body.error.details[0].field]).toEqual([422, 'default']);
});
