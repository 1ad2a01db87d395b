import { expect, test } from '@jest/globals';
import { ownRows } from '../../../src/platform/database/own.ts';
import { loadType } from '../../../src/records/types/object-type.ts';
import { assertOptionsUnused } from '../../../src/records/types/used-options.ts';
import { type Body, useApp } from '../../support/app.ts';
import { options, stateOf } from '../../support/factories/options.ts';
import { storedEvents } from '../../support/stored/api-events.ts';

const app = useApp({ workers: true });
let made = 0;

async function kindOf(values: object[], field: object = {}): Promise<{ kind: string; ids: string[] }> {
  made += 1;
  const kind = `kind${made}`;
  const state = { name: 'state', type: 'select', indexed: true, options: options('open', 'sold', 'stock'), ...field };
  const body = { kind, label: 'Kind', fields: [{ name: 'name', type: 'text' }, state] };
  expect((await app.call('crm.object-types.create', { body })).status).toBe(201);
  const ids: string[] = [];
  for (const fields of values)
    ids.push((await app.call('crm.records.create', { params: { objectKind: kind }, body: { fields } })).body.id);
  return { kind, ids };
}
const change = (objectKind: string, body: object) =>
  app.call('crm.object-fields.update', { params: { objectKind, fieldName: 'state' }, body });
const record = async (objectKind: string, recordID: string): Promise<Body> =>
  (await app.call('crm.records.get', { params: { objectKind, recordID } })).body;
const history = async (objectKind: string, recordID: string): Promise<Body[]> =>
  (await app.call('crm.records.history', { params: { objectKind, recordID } })).body.items;

test('an option in use is a 409 that counts and says how, and changes nothing', async () => {
  const { kind } = await kindOf([{ state: 'sold' }, { state: 'sold' }]);
  const { status, body } = await change(kind, { options: options('open', 'stock') });
  expect(status).toBe(409);
  expect(body.error.details).toMatchObject([{ field: 'replace_with.sold', code: 'option.in_use', value: '2' }]);
  expect((await stateOf(app, kind)).options).toEqual(options('open', 'sold', 'stock'));
});

test('an option that only a record in the bin has is in use', async () => {
  const { kind, ids } = await kindOf([{ state: 'sold' }]);
  const binned = { params: { objectKind: kind, recordID: ids[0]! } };
  await app.call('crm.records.delete', binned);
  const { status, body } = await change(kind, { options: options('open', 'stock') });
  expect([status, body.error.details?.[0]]).toMatchObject([
    409,
    { field: 'replace_with.sold', code: 'option.in_use', value: '1' },
  ]);
  expect(body.error.message).toContain('Records with it: 1, 1 of them in the bin');
  const replaced = await change(kind, { options: options('open', 'stock'), replace_with: { sold: 'stock' } });
  expect(replaced.status).toBe(200);
  expect((await app.call('crm.records.restore', binned)).body.fields).toEqual({ state: 'stock' });
});

test('of a bin that is too large to be read, every option is in use', async () => {
  const { kind, ids } = await kindOf([{ state: 'open' }, { state: 'open' }]);
  for (const recordID of ids) await app.call('crm.records.delete', { params: { objectKind: kind, recordID } });
  const own = ownRows(app.web.deps.database, app.tenant.organizationId);
  const type = (await loadType(own, kind))!;
  const before = type.fields.find(({ name }) => name === 'state')!;
  const after = { ...before, options: options('open', 'stock') };
  await assertOptionsUnused(own, type, before, after, new Set(), 2);
  await expect(assertOptionsUnused(own, type, before, after, new Set(), 1)).rejects.toThrow('The bin is too large');
});

test('replaced at once: value, index row, one revision, one row of history and one event of each record', async () => {
  const { kind, ids } = await kindOf([{ state: 'sold' }, { state: 'open' }, { state: 'sold' }]);
  const binned = { params: { objectKind: kind, recordID: ids[2]! } };
  await app.call('crm.records.delete', binned);
  const replaced = await change(kind, { options: options('open', 'new'), replace_with: { sold: 'new' } });
  expect([replaced.status, replaced.headers.get('operation-id')]).toEqual([200, null]);
  expect(replaced.body.options).toEqual(options('open', 'new'));
  expect(await record(kind, ids[0]!)).toMatchObject({ fields: { state: 'new' }, revision: 2 });
  expect(await record(kind, ids[1]!)).toMatchObject({ fields: { state: 'open' }, revision: 1 });
  const [newest, ...others] = await history(kind, ids[0]!);
  expect(newest).toMatchObject({ revision: 2, changes: { state: { from: 'sold', to: 'new' } } });
  expect(others).toHaveLength(1);
  const event = await storedEvents.one(app, newest!.event_id, ['type', 'data']);
  expect([event.type, event.data.changed]).toEqual(['record.updated', ['state']]);
  const rows = 'select text_value from record_values where record_id = any($1::uuid[]) order by text_value';
  expect((await app.rows(rows, [ids])).map(({ text_value }) => text_value)).toEqual(['new', 'open']);
  // In the bin too, and nobody was told.
  expect((await app.call('crm.records.restore', binned)).body.fields).toEqual({ state: 'new' });
  expect((await history(kind, ids[2]!))[1]).toMatchObject({ event_id: null, changes: { state: { from: 'sold', to: 'new' } } });
});

test('a list of options gets each once, and null empties it', async () => {
  const values = [{ state: ['sold', 'stock'] }, { state: ['sold'] }, { state: ['sold', 'open'] }];
  const { kind, ids } = await kindOf(values, { type: 'multi_select' });
  const both = await change(kind, { options: options('open', 'stock'), replace_with: { sold: 'stock' } });
  expect(both.status).toBe(200);
  const states = async () => Promise.all(ids.map(async (id) => (await record(kind, id)).fields.state));
  expect(await states()).toEqual([['stock'], ['stock'], ['stock', 'open']]);
  expect((await change(kind, { options: options('open'), replace_with: { stock: null } })).status).toBe(200);
  expect(await states()).toEqual([undefined, undefined, ['open']]);
});

test.each<[string, object, string]>([
  ['an unknown target', { sold: 'nothing' }, 'replace_with.sold'],
  ['itself', { sold: 'sold' }, 'replace_with.sold'],
  ['a target that leaves as well', { sold: 'stock', stock: 'open' }, 'replace_with.sold'],
  ['nothing, where the field is required', { sold: null, stock: 'open' }, 'replace_with.sold'],
  ['an option that stays', { sold: 'open', open: 'open' }, 'replace_with.open'],
  ['an option that is none', { sold: 'open', other: 'open' }, 'replace_with.other'],
  ['__proto__', JSON.parse('{"sold": "open", "__proto__": "open"}'), 'replace_with.__proto__'],
])('replace_with names %s: 422 and nothing changed', async (_, replaceWith, field) => {
  const { kind, ids } = await kindOf([{ state: 'sold' }], { required: true });
  const { status, body } = await change(kind, { options: options('open'), replace_with: replaceWith });
  expect([status, body.error.details?.[0]?.field]).toEqual([422, field]);
  expect(await record(kind, ids[0]!)).toMatchObject({ fields: { state: 'sold' }, revision: 1 });
});

test('many are replaced by an operation, and the option is gone at its end', async () => {
  const { kind } = await kindOf([]);
  const operations = Array.from({ length: 101 }, () => ({ operation: 'create', fields: { state: 'sold' } }));
  const batch = (some: object[]) => app.call('crm.records.batch', { params: { objectKind: kind }, body: { operations: some } });
  await batch(operations.slice(0, 100));
  await batch(operations.slice(100));
  const asked = await app.call('crm.object-fields.update', {
    params: { objectKind: kind, fieldName: 'state' },
    body: { options: options('open', 'stock'), replace_with: { sold: 'stock' } },
    headers: { prefer: 'wait=30' },
  });
  expect([asked.status, asked.body.options]).toEqual([200, options('open', 'stock')]);
  const [counted] = await app.rows(
    `select count(*)::int as n from records r join object_types t on t.id = r.type_id
      where t.kind = $1 and r.fields = '{"state": "stock"}' and r.revision = 2`,
    [kind],
  );
  expect(counted!.n).toBe(101);
});
