import { beforeAll, describe, expect, jest, test } from '@jest/globals';
import { PreparingClient } from '../../../src/platform/database/preparing-client.ts';
import { type Body, useApp } from '../../support/app.ts';
import { objectType } from '../../support/factories/object-type.ts';
import { storedRecords } from '../../support/stored/crm.ts';
import { storedState } from '../../support/stored.ts';

const app = useApp();
const kind = 'part';

beforeAll(async () => {
  await objectType(app, app.tenant.organizationId, {
    kind,
    fields: [
      { name: 'code', type: 'text', isUnique: true, isIndexed: true },
      { name: 'count', type: 'integer', isIndexed: true },
    ],
  });
});

const batch = (operations: object[], more: object = {}, key?: string) =>
  app.call('crm.records.batch', { params: { objectKind: kind }, body: { operations, ...more }, key });
const create = async (fields: object): Promise<Body> =>
  (await app.call('crm.records.create', { params: { objectKind: kind }, body: { fields } })).body;
const get = (recordID: string) => app.call('crm.records.get', { params: { objectKind: kind, recordID } });
const statuses = (body: Body) => body.results.map(({ status }: Body) => status);
const stranger = '0193ffff-3a0e-7cc4-8f4e-0242ac120004';

test('creates, updates, upserts and deletes, in the order given', async () => {
  const [old, gone] = [await create({ name: 'Old', count: 1 }), await create({ name: 'Gone' })];
  const { status, body } = await batch([
    { operation: 'create', fields: { code: 'B-1', count: 1 } },
    { operation: 'update', id: old.id, fields: { count: 2 }, revision: 1 },
    { operation: 'update', id: old.id, fields: { count: 2 } },
    { operation: 'upsert', field: 'code', value: 'B-1', fields: { count: 5 } },
    { operation: 'upsert', field: 'code', value: 'B-2' },
    { operation: 'delete', id: gone.id },
  ]);
  expect([status, statuses(body)]).toEqual([200, ['created', 'updated', 'unchanged', 'updated', 'created', 'deleted']]);
  expect(body.results[0].id).toBe(body.results[3].id);
  // As it is after the whole batch.
  expect(body.results[0].record.fields).toEqual({ code: 'B-1', count: 5 });
  for (const { id, record } of body.results) if (record) expect((await get(id)).body).toEqual(record);
  expect((await get(gone.id)).status).toBe(404);
});

test('each is one revision, one row of history and one event', async () => {
  const { body } = await batch(Array.from({ length: 100 }, (_, index) => ({ operation: 'create', fields: { count: index } })));
  const ids = body.results.map(({ id }: Body) => id);
  expect(new Set(ids).size).toBe(100);
  const told = await app.rows(
    `select count(*)::int as events, count(distinct h.object_id)::int as rows
       from events e
       join crm_history h on h.event_id = e.id and h.revision = 1
      where e.type = 'record.created' and e.subject_id = any($1)`,
    [ids],
  );
  expect(told).toEqual([{ events: 100, rows: 100 }]);
});

test('it takes as many statements for a hundred operations as for a few', async () => {
  const statementsOf = async (size: number, name: string) => {
    const made = await Promise.all(Array.from({ length: size }, (_, index) => create({ code: `${name} ${index}` })));
    const operations = made.map(({ id }, index) => {
      const kinds = [
        { operation: 'create', fields: { code: `${name} new ${index}` }, enrichment: { source: 'registry' } },
        { operation: 'update', id, fields: { code: `${name} other ${index}` } },
        { operation: 'upsert', field: 'code', value: `${name} ${index}`, fields: { count: index } },
        { operation: 'delete', id },
      ];
      return kinds[index % 4]!;
    });
    const asked = jest.spyOn(PreparingClient.prototype, 'query');
    try {
      expect((await batch(operations, { mode: 'partial' })).status).toBe(200);
      const texts = asked.mock.calls.map(([first]) => String((first as { text?: string })?.text ?? first));
      return texts.filter((text) => /\b(records|record_values|crm_history|memberships|object_types|events)\b/.test(text)).length;
    } finally {
      asked.mockRestore();
    }
  };
  const few = await statementsOf(4, 'few');
  expect(few).toBeGreaterThan(4);
  expect(await statementsOf(100, 'many')).toBe(few);
});

describe('atomic', () => {
  test.each<[string, object, number, string]>([
    ['a value that is not valid', { operation: 'create', fields: { count: 'x' } }, 422, 'operations[1].fields.count'],
    ['a unique value that is taken', { operation: 'create', fields: { code: 'taken' } }, 409, 'operations[1].fields.code'],
    ['a record that is not there', { operation: 'delete', id: stranger }, 404, 'operations[1]'],
    ['a field that is not unique', { operation: 'upsert', field: 'count', value: 1 }, 422, 'operations[1].field'],
    ['a value that names nothing', { operation: 'upsert', field: 'code', value: 7 }, 422, 'operations[1].value'],
  ])('%s: the error with its place, and nothing is written', async (_name, operation, status, field) => {
    await app.call('crm.records.upsert', { params: { objectKind: kind, fieldName: 'code', value: 'taken' }, body: {} });
    const before = await storedState(app);
    const reply = await batch([{ operation: 'create', fields: { name: 'First' } }, operation]);
    expect([reply.status, reply.body.error.details[0].field]).toEqual([status, field]);
    expect(await storedState(app)).toBe(before);
  });
});

describe('partial', () => {
  test('an outcome each: what fails leaves nothing of itself, and the rest is written', async () => {
    await app.call('crm.records.upsert', { params: { objectKind: kind, fieldName: 'code', value: 'taken' }, body: {} });
    const { status, body } = await batch(
      [
        { operation: 'create', fields: { name: 'First', code: 'P-1' } },
        { operation: 'create', fields: { name: 'Second', code: 'taken' } },
        { operation: 'update', id: stranger, fields: { count: 1 } },
        { operation: 'create', fields: { count: 'x' } },
        { operation: 'upsert', field: 'code', value: 'P-1', fields: { count: 3 } },
      ],
      { mode: 'partial' },
    );
    expect([status, statuses(body)]).toEqual([200, ['created', 'failed', 'failed', 'failed', 'updated']]);
    expect(body.results.map(({ error }: Body) => error?.code)).toEqual([
      undefined,
      'conflict',
      'not_found',
      'invalid_request',
      undefined,
    ]);
    expect(body.results[3].error.details[0].field).toBe('fields.count');
    expect(await storedRecords.all(app, { display_name: 'Second' }, { columns: ['id'] })).toEqual([]);
    expect((await app.events(body.results[0].id)).map(({ type }) => type)).toEqual(['record.created', 'record.updated']);
    const [{ total }] = await app.rows(
      `select count(*)::int as total from record_values v where not exists (select from records r where r.id = v.record_id)`,
    );
    expect(total).toBe(0);
  });
});

describe('an update without a field to change', () => {
  const patch = (recordID: string, body: object) =>
    app.call('crm.records.update', { params: { objectKind: kind, recordID }, body });

  test.each<[string, object]>([
    ['nothing but its id', {}],
    ['a revision', { revision: 1 }],
  ])('is refused in a batch with the code of PATCH: %s', async (_name, given) => {
    const { id } = await create({ count: 1 });
    const alone = await patch(id, given);
    expect(alone.status).toBe(422);
    const update = { operation: 'update', id, ...given };
    const atomic = await batch([{ operation: 'create' }, update]);
    expect(atomic.status).toBe(422);
    expect(atomic.body.error.code).toBe(alone.body.error.code);
    expect(atomic.body.error.details[0]).toMatchObject({ field: 'operations[1]', code: alone.body.error.details[0].code });
    const partial = await batch([update, { operation: 'update', id, fields: { count: 2 } }], { mode: 'partial' });
    expect(statuses(partial.body)).toEqual(['failed', 'updated']);
    expect(partial.body.results[0].error.code).toBe(alone.body.error.code);
  });

  test.each(['fields', 'custom_fields', 'metadata'])('changes nothing with empty %s, in a batch and by PATCH', async (name) => {
    const { id } = await create({ count: 1 });
    expect((await patch(id, { [name]: {} })).body.revision).toBe(1);
    expect(statuses((await batch([{ operation: 'update', id, [name]: {} }])).body)).toEqual(['unchanged']);
  });
});

describe('what is refused', () => {
  test.each<[string, object]>([
    ['none', { operations: [] }],
    ['101', { operations: Array.from({ length: 101 }, () => ({ operation: 'create' })) }],
    ['an unknown operation', { operations: [{ operation: 'drop' }] }],
    ['an update without its id', { operations: [{ operation: 'update', fields: {} }] }],
    ['an upsert without its value', { operations: [{ operation: 'upsert', field: 'code' }] }],
    ['an unknown mode', { operations: [{ operation: 'create' }], mode: 'some' }],
  ])('%s: 422', async (_name, body) => {
    expect((await app.call('crm.records.batch', { params: { objectKind: kind }, body })).status).toBe(422);
  });

  test("another organization's records are not there", async () => {
    const { id } = await create({ name: 'Mine' });
    const { key, organizationId } = await app.organization();
    await objectType(app, organizationId, { kind });
    for (const one of [{ operation: 'update', fields: {} }, { operation: 'delete' }])
      expect((await batch([{ ...one, id }], {}, key)).status).toBe(404);
  });

  test('a kind with its own table', async () => {
    const reply = await app.call('crm.records.batch', {
      params: { objectKind: 'contact' },
      body: { operations: [{ operation: 'create' }] },
    });
    expect(reply.status).toBe(422);
  });
});

test('batches of the same records at once do not stop each other for good', async () => {
  const ids = await Promise.all([1, 2, 3, 4].map(async (count) => (await create({ count })).id as string));
  const replies = await Promise.all(
    Array.from({ length: 12 }, (_, index) => {
      const order = index % 2 ? ids : [...ids].reverse();
      return batch(order.map((id) => ({ operation: 'update', id, fields: { count: index } })));
    }),
  );
  expect(replies.map(({ status }) => status)).toEqual(Array(12).fill(200));
});
