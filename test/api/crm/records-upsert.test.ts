import { beforeAll, describe, expect, test } from '@jest/globals';
import { type Body, useApp } from '../../support/app.ts';
import { objectType } from '../../support/factories/object-type.ts';

const app = useApp();
const kind = 'part';

beforeAll(async () => {
  await objectType(app, app.tenant.organizationId, {
    kind,
    fields: [
      { name: 'code', type: 'text', isUnique: true, isIndexed: true },
      { name: 'second', type: 'text', isUnique: true, isIndexed: true },
      { name: 'number', type: 'integer', isUnique: true, isIndexed: true },
      { name: 'day', type: 'date', isUnique: true, isIndexed: true },
      { name: 'plain', type: 'text', isIndexed: true },
    ],
  });
});

const upsert = (field: string, value: string, body: object = {}, key?: string) =>
  app.call('crm.records.upsert', { params: { objectKind: kind, fieldName: field, value }, body, key });
const live = (field: string, value: unknown) =>
  app.rows(`select id from records where fields->$1 = to_jsonb($2::text)::jsonb and deleted_at is null`, [field, value]);

test('nobody has the value: 201 and a new record with it; then it is updated', async () => {
  const made = await upsert('code', 'A-1', { fields: { name: 'Bolt' } });
  expect([made.status, made.body.fields]).toEqual([201, { code: 'A-1', name: 'Bolt' }]);
  expect(made.headers.get('location')).toBe(`/v1/crm/object-types/${kind}/records/${made.body.id}`);
  const again = await upsert('code', 'A-1', { fields: { plain: 'x' } });
  expect([again.status, again.body.id, again.body.fields]).toEqual([
    200,
    made.body.id,
    { code: 'A-1', name: 'Bolt', plain: 'x' },
  ]);
  const same = await upsert('code', 'a-1', {});
  expect([same.status, same.body]).toEqual([200, again.body]);
});

test.each([
  ['number', '42', 42],
  ['day', '2026-11-25', '2026-11-25'],
  ['code', 'a/b ?ü', 'a/b ?ü'],
])('by a value of %s', async (field, value, stored) => {
  const made = await upsert(field, value);
  expect([made.status, made.body.fields[field]]).toEqual([201, stored]);
  expect((await upsert(field, value)).body.id).toBe(made.body.id);
});

test('50 at once by one value make one record', async () => {
  const replies = await Promise.all(
    Array.from({ length: 50 }, (_, index) => upsert('code', index % 2 ? 'Same' : 'SAME', { fields: { plain: String(index) } })),
  );
  expect(replies.map(({ status }) => status).sort()).toEqual([...Array(49).fill(200), 201]);
  expect(new Set(replies.map(({ body }: { body: Body }) => body.id)).size).toBe(1);
  const [{ total }] = await app.rows(`select count(*)::int as total from records where lower(fields->>'code') = 'same'`);
  expect(total).toBe(1);
});

test('beside creates of the same value: one record, and what is refused is a 409', async () => {
  const create = () => app.call('crm.records.create', { params: { objectKind: kind }, body: { fields: { code: 'Race' } } });
  const replies = await Promise.all(Array.from({ length: 20 }, (_, index) => (index % 2 ? create() : upsert('code', 'Race'))));
  for (const { status } of replies) expect([200, 201, 409]).toContain(status);
  for (const [index, { status }] of replies.entries()) if (index % 2 === 0) expect(status).not.toBe(409);
  expect(await live('code', 'Race')).toHaveLength(1);
});

test('a record in the bin does not have the value: another is made, and the restore is a 409', async () => {
  const { body: first } = await upsert('code', 'Bin');
  const params = { objectKind: kind, recordID: first.id };
  await app.call('crm.records.delete', { params });
  const second = await upsert('code', 'Bin');
  expect([second.status, second.body.id === first.id]).toEqual([201, false]);
  expect((await app.call('crm.records.restore', { params })).status).toBe(409);
});

describe('what is refused', () => {
  test.each([
    ['a field that is not unique', 'plain', 'x', 'fieldName'],
    ['an unknown field', 'nothing', 'x', 'fieldName'],
    ['__proto__', '__proto__', 'x', 'fieldName'],
    ['a value that the field cannot have', 'number', '1.5', 'value'],
    ['a number in words', 'number', 'abc', 'value'],
    ['a day that is none', 'day', '2026-02-30', 'value'],
    ['a blank', 'code', ' ', 'value'],
  ])('%s: 422 at the path', async (_name, field, value, at) => {
    const { status, body } = await upsert(field, value);
    expect([status, body.error.details[0]]).toMatchObject([422, { field: at, location: 'path' }]);
  });

  test('another value for the field in the body', async () => {
    const { status, body } = await upsert('code', 'One', { fields: { code: 'Two' } });
    expect([status, body.error.details[0].field]).toEqual([422, 'fields.code']);
  });

  test("another record's unique value: 409 that names its field", async () => {
    await upsert('second', 'taken');
    const { status, body } = await upsert('code', 'Mine', { fields: { second: 'taken' } });
    expect([status, body.error.details.map(({ field }: Body) => field)]).toEqual([
      409,
      expect.arrayContaining(['fields.second']),
    ]);
    expect(await live('code', 'Mine')).toEqual([]);
  });

  test('an unknown kind, and one with its own table', async () => {
    for (const objectKind of ['nothing', 'contact', 'conversation']) {
      const params = { objectKind, fieldName: 'code', value: 'x' };
      expect((await app.call('crm.records.upsert', { params, body: {} })).status).toBe(422);
    }
  });

  test('another organization has neither the kind nor the value', async () => {
    const { key, organizationId } = await app.organization();
    expect((await upsert('code', 'A-1', {}, key)).status).toBe(422);
    await objectType(app, organizationId, { kind, fields: [{ name: 'code', type: 'text', isUnique: true, isIndexed: true }] });
    expect((await upsert('code', 'A-1', {}, key)).status).toBe(201);
  });
});
