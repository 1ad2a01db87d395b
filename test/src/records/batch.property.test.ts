import { beforeAll, expect, test } from '@jest/globals';
import { type Body, useApp } from '../../support/app.ts';
import { objectType } from '../../support/factories/object-type.ts';
import { fc, numRuns } from '../../support/fast-check.ts';

const app = useApp();
const kind = 'part';

const codes = fc.constantFrom('Ab', 'aB', 'cd', '', null);
const values = fc.record(
  {
    code: codes,
    number: fc.constantFrom(1, 2, null, 'x'),
    plain: fc.constantFrom('one', 'two', ''),
    day: fc.constant('2026-11-25'),
  },
  { requiredKeys: [] },
);
const given = fc.record(
  {
    fields: values,
    custom_fields: fc.record({ tier: fc.constantFrom('gold', null) }),
    metadata: fc.record({ a: fc.nat(2) }),
    enrichment: fc.record({ source: fc.constantFrom('registry', 'web') }),
  },
  { requiredKeys: [] },
);
/** `record`: the place among those that are there before. */
const record = fc.nat(3);
const operation = fc.oneof(
  { weight: 3, arbitrary: fc.record({ does: fc.constant('create' as const), given }) },
  {
    weight: 3,
    arbitrary: fc.record({ does: fc.constant('update' as const), record, given, revision: fc.option(fc.constantFrom(1, 2)) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ does: fc.constant('upsert' as const), value: fc.constantFrom('ab', 'AB', 'cd', 'new'), given }),
  },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('delete' as const), record }) },
);
type Operation = typeof operation extends fc.Arbitrary<infer One> ? One : never;

type World = { key: string; organizationId: string; records: string[] };

/** Four records, the second with a value that operations ask for. */
async function open(): Promise<World> {
  const { key, organizationId } = await app.organization();
  await objectType(app, organizationId, {
    kind,
    fields: [
      { name: 'code', type: 'text', isUnique: true, isIndexed: true },
      { name: 'number', type: 'integer', isUnique: true, isIndexed: true },
      { name: 'plain', type: 'text', isIndexed: true },
      { name: 'day', type: 'date', isIndexed: true },
    ],
  });
  const records: string[] = [];
  for (const fields of [{}, { code: 'AB' }, { number: 2 }, { code: 'xy', number: 9 }])
    records.push((await app.call('crm.records.create', { key, params: { objectKind: kind }, body: { fields } })).body.id);
  return { key, organizationId, records };
}

const asked = ({ records }: World, one: Operation): object => {
  if (one.does === 'create') return { operation: 'create', ...one.given };
  if (one.does === 'delete') return { operation: 'delete', id: records[one.record] };
  if (one.does === 'upsert') return { operation: 'upsert', field: 'code', value: one.value, ...one.given };
  return { operation: 'update', id: records[one.record], ...one.given, ...(one.revision !== null && { revision: one.revision }) };
};

const inBatch = async (world: World, operations: Operation[], mode: string) =>
  app.call('crm.records.batch', {
    key: world.key,
    params: { objectKind: kind },
    body: { mode, operations: operations.map((one) => asked(world, one)) },
  });

/** The same in a batch of its own for each. */
async function oneByOne(world: World, operations: Operation[]): Promise<Body[]> {
  const results: Body[] = [];
  for (const one of operations) results.push(...(await inBatch(world, [one], 'partial')).body.results);
  return results;
}

/** By single requests: what an outcome would be. */
async function byRequests({ key, records }: World, operations: Operation[]): Promise<string[]> {
  const statuses: string[] = [];
  for (const one of operations) {
    const recordID = 'record' in one ? records[one.record] : undefined;
    const params = { objectKind: kind, recordID };
    const call = async (name: string, more: object) => app.call(name as 'crm.records.get', { key, ...more } as never);
    const reply = await (one.does === 'create'
      ? call('crm.records.create', { params: { objectKind: kind }, body: one.given })
      : one.does === 'delete'
        ? call('crm.records.delete', { params })
        : one.does === 'upsert'
          ? call('crm.records.upsert', { params: { objectKind: kind, fieldName: 'code', value: one.value }, body: one.given })
          : call('crm.records.update', {
              params,
              body: { ...one.given, ...(one.revision !== null && { revision: one.revision }) },
            }));
    statuses.push(reply.status < 300 ? 'done' : (reply.body.error.code as string));
  }
  return statuses;
}

/** Without ids and times: what is there, its index, its history with the events that told of it. */
async function stateOf({ organizationId }: World): Promise<Body[]> {
  return app.rows(
    `select r.display_name, r.search_text, r.fields, r.custom_fields, r.metadata, r.revision, r.deleted_at is null as is_live,
            (select jsonb_agg(jsonb_build_object('name', f.name, 'ordinal', v.ordinal, 'text', v.text_value, 'number', v.number_value,
                      'time', v.time_value, 'is_unique', v.is_unique) order by f.name, v.ordinal)
               from record_values v join object_fields f on f.id = v.field_id where v.record_id = r.id) as indexed,
            (select jsonb_agg(jsonb_build_object('revision', h.revision, 'changes', h.changes - 'deleted_at', 'type', e.type,
                      'changed', e.data->'changed') order by h.revision)
               from crm_history h join events e on e.id = h.event_id and e.subject_id = r.id where h.object_id = r.id) as history,
            (select jsonb_agg(jsonb_build_object('source', s.source, 'fields', s.fields) order by s.source)
               from record_enrichments s where s.record_id = r.id) as sources
       from records r
      where r.organization_id = $1
      order by r.created_at, r.id`,
    [organizationId],
  );
}

const told = ({ status, error, record: shown }: Body) => ({
  status,
  error,
  revision: status === 'failed' ? undefined : shown?.revision,
});

beforeAll(async () => {
  await open();
});

test('a batch is what its operations are one after the other', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(operation, { minLength: 1, maxLength: 12 }), async (operations) => {
      const [whole, single, requests] = [await open(), await open(), await open()];
      const { body } = await inBatch(whole, operations, 'partial');
      const apart = await oneByOne(single, operations);
      expect(body.results.map(({ status, error }: Body) => ({ status, error }))).toEqual(
        apart.map(told).map(({ status, error }) => ({ status, error })),
      );
      expect(await stateOf(whole)).toEqual(await stateOf(single));
      const codes = body.results.map(({ error }: Body) => error?.code ?? 'done');
      expect(await byRequests(requests, operations)).toEqual(codes);
      expect(await stateOf(requests)).toEqual(await stateOf(whole));
      for (const { id, record: shown } of body.results) {
        if (!shown) continue;
        const params = { objectKind: kind, recordID: id };
        expect((await app.call('crm.records.get', { key: whole.key, params })).body).toEqual(shown);
      }
    }),
    { numRuns: numRuns({ default: 2, deep: 25 }) },
  );
});

test('atomic: all of it or nothing', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(operation, { minLength: 1, maxLength: 8 }), async (operations) => {
      const [whole, single] = [await open(), await open()];
      const before = await stateOf(whole);
      const apart = await oneByOne(single, operations);
      const first = apart.findIndex(({ status }) => status === 'failed');
      const { status, body } = await inBatch(whole, operations, 'atomic');
      if (first < 0) {
        expect(status).toBe(200);
        expect(await stateOf(whole)).toEqual(await stateOf(single));
        return;
      }
      expect([status >= 400, body.error.code]).toEqual([true, apart[first]!.error.code]);
      expect(body.error.details[0].field).toMatch(new RegExp(`^operations\\[${first}\\]`));
      expect(await stateOf(whole)).toEqual(before);
    }),
    { numRuns: numRuns({ default: 2, deep: 25 }) },
  );
});
