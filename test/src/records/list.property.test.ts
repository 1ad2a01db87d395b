import { expect, test } from '@jest/globals';
import { ownRows } from '../../../src/platform/database/own.ts';
import { transactFor } from '../../../src/platform/ledger/tenant.ts';
import { cursorOf } from '../../../src/platform/listing/cursor.ts';
import { positionOf } from '../../../src/platform/listing/keyset.ts';
import { beginOf, readListing } from '../../../src/platform/listing/listing.ts';
import { listRows } from '../../../src/platform/listing/page.ts';
import { createReads } from '../../../src/platform/listing/reads.ts';
import type { ListedTable } from '../../../src/platform/listing/table.ts';
import { patchField } from '../../../src/records/types/change-fields.ts';
import { createType } from '../../../src/records/types/change-types.ts';
import { endIndex } from '../../../src/records/types/end-walk.ts';
import { typeLane, typesLock } from '../../../src/records/types/jobs.ts';
import { recordFieldsOf } from '../../../src/records/types/listing.ts';
import { loadType } from '../../../src/records/types/object-type.ts';
import { takeIndexStep } from '../../../src/records/types/walk.ts';
import { useApp } from '../../support/app.ts';
import { records } from '../../support/factories/records.ts';
import { fc, numRuns } from '../../support/fast-check.ts';

const app = useApp({});

/** Few values, so that nearly everything is a tie. */
const texts = ['ada', 'Ada', 'Ádám', 'zoë', 'a_b', '50%', 'x y', `${'long '.repeat(45)}a`, `${'long '.repeat(45)}b`];
const amounts = ['0', '5', '10', '9223372036854775807'];
const money = fc.record({ amount_minor: fc.constantFrom(...amounts), currency_code: fc.constantFrom('EUR', 'USD') });
const options = ['red', 'green', 'blue'];

const one = {
  word: fc.constantFrom(...texts),
  score: fc.constantFrom(0, 1, 1.5, -2, 10, 0.1),
  size: fc.constantFrom(0, 1, 2, 10),
  done: fc.boolean(),
  day: fc.constantFrom('2026-01-01', '2026-01-02', '2025-12-31'),
  at: fc.constantFrom('2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.001Z', '2026-01-02T10:00:00.000Z'),
  colour: fc.constantFrom(...options),
  colours: fc.shuffledSubarray(options, { minLength: 1 }),
  mail: fc.constantFrom('ada@example.com', 'zoe@example.com'),
  price: money,
};
type Name = keyof typeof one;
const names = Object.keys(one) as Name[];
/** An email is always indexed. */
const indexable: Name[] = names.filter((name) => name !== 'mail');
const types: Record<Name, string> = {
  word: 'text',
  score: 'number',
  size: 'integer',
  done: 'boolean',
  day: 'date',
  at: 'datetime',
  colour: 'select',
  colours: 'multi_select',
  mail: 'email',
  price: 'currency',
};
type Values = Partial<Record<Name, unknown>>;
type Stored = { id: string; fields: Values };
const record = fc.record(one as Record<Name, fc.Arbitrary<unknown>>, { requiredKeys: [] }) as fc.Arbitrary<Values>;

const isOrdered = (name: Name) => ['score', 'size', 'day', 'at', 'price'].includes(name);
/** As the list compares it. */
const comparable = (name: Name, value: unknown): string | bigint | number =>
  name === 'price' ? BigInt((value as { amount_minor: string }).amount_minor) : (value as string | number);
const folded = (text: string) => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase().slice(0, 200);
const sortable = (name: Name, value: unknown) => (name === 'word' ? folded(value as string) : comparable(name, value));

type Model = { filter: { field: string; operator: string; value?: unknown }; holds(fields: Values): boolean };

function modelsOf(name: Name): fc.Arbitrary<Model> {
  const value = name === 'colours' ? fc.constantFrom(...options) : (one[name] as fc.Arbitrary<unknown>);
  const has = (fields: Values, sought: unknown) => {
    const mine = fields[name];
    if (mine === undefined) return false;
    if (name === 'colours') return (mine as string[]).includes(sought as string);
    return comparable(name, mine) === comparable(name, sought);
  };
  const wire = (given: unknown) => (name === 'price' ? (given as { amount_minor: string }).amount_minor : given);
  const negated = (model: Model, operator: string): Model => ({
    filter: { ...model.filter, operator },
    holds: (fields) => !model.holds(fields),
  });
  const eq = value.map<Model>((sought) => ({
    filter: { field: name, operator: 'eq', value: wire(sought) },
    holds: (fields) => has(fields, sought),
  }));
  const within = fc.array(value, { minLength: 1, maxLength: 3 }).map<Model>((all) => ({
    filter: { field: name, operator: 'in', value: all.map(wire) },
    holds: (fields) => all.some((sought) => has(fields, sought)),
  }));
  const empty: Model = { filter: { field: name, operator: 'is_empty' }, holds: (fields) => fields[name] === undefined };
  const all: fc.Arbitrary<Model>[] = [
    eq,
    eq.map((model) => negated(model, 'neq')),
    fc.constantFrom(empty, negated(empty, 'is_not_empty')),
  ];
  if (name !== 'done')
    all.push(
      within,
      within.map((model) => negated(model, 'not_in')),
    );
  if (isOrdered(name)) {
    const orders = {
      gt: (a: never, b: never) => a > b,
      gte: (a: never, b: never) => a >= b,
      lt: (a: never, b: never) => a < b,
      lte: (a: never, b: never) => a <= b,
    };
    for (const [operator, compare] of Object.entries(orders))
      all.push(
        value.map<Model>((sought) => ({
          filter: { field: name, operator, value: wire(sought) },
          holds: (fields) =>
            fields[name] !== undefined && compare(comparable(name, fields[name]) as never, comparable(name, sought) as never),
        })),
      );
    all.push(
      fc.tuple(value, value).map<Model>(([from, to]) => ({
        filter: { field: name, operator: 'between', value: [wire(from), wire(to)] },
        holds: (fields) =>
          fields[name] !== undefined &&
          comparable(name, fields[name]) >= comparable(name, from) &&
          comparable(name, fields[name]) <= comparable(name, to),
      })),
    );
  }
  if (name === 'word') {
    const parts = fc.constantFrom('a', '_', '%', 'ZO').map<Model>((part) => ({
      filter: { field: name, operator: 'contains', value: part },
      holds: (fields) => ((fields.word as string) ?? '').toLowerCase().includes(part.toLowerCase()),
    }));
    all.push(
      parts,
      parts.map((model) => negated(model, 'not_contains')),
    );
  }
  if (name === 'price')
    all.push(
      fc.constantFrom('EUR', 'USD', 'JPY').map<Model>((code) => ({
        filter: { field: 'price.currency_code', operator: 'eq', value: code },
        holds: ({ price }) => (price as { currency_code: string } | undefined)?.currency_code === code,
      })),
    );
  return fc.oneof(...all);
}
const model = fc.constantFrom(...names).chain(modelsOf);
const sortNames = names.filter((name) => !['done', 'colours', 'price'].includes(name)).concat('price');

const request = fc.record({
  models: fc.array(model, { maxLength: 2 }),
  any: fc.array(fc.array(model, { minLength: 1, maxLength: 3 }), { maxLength: 2 }),
  sort: fc.constantFrom('created_at', ...sortNames.filter((name) => name !== 'mail')),
  isDescending: fc.boolean(),
  limit: fc.integer({ min: 1, max: 7 }),
  checks: fc.constantFrom(1, 10, 1_000),
});

type Expected = { models: Model[]; any: Model[][]; sort: string; isDescending: boolean };

function expected(stored: Stored[], { models, any, sort, isDescending }: Expected) {
  const turn = isDescending ? -1 : 1;
  const compare = (a: unknown, b: unknown) => {
    if (typeof a === 'string' && typeof b === 'string') return Buffer.compare(Buffer.from(a), Buffer.from(b));
    return (a as number) < (b as number) ? -1 : (a as number) > (b as number) ? 1 : 0;
  };
  const byId = (a: Stored, b: Stored) => turn * compare(a.id, b.id);
  const found = stored.filter(
    ({ fields }) => models.every(({ holds }) => holds(fields)) && any.every((group) => group.some(({ holds }) => holds(fields))),
  );
  if (sort === 'created_at') return found.sort(byId).map(({ id }) => id);
  const name = sort as Name;
  const valued = found.filter(({ fields }) => fields[name] !== undefined);
  const others = found.filter(({ fields }) => fields[name] === undefined);
  const byValue = (a: Stored, b: Stored) =>
    turn * compare(sortable(name, a.fields[name]), sortable(name, b.fields[name])) || byId(a, b);
  return [...valued.sort(byValue), ...others.sort(byId)].map(({ id }) => id);
}

const anyOf = (groups: Model[][]) => groups.map((group) => group.map(({ filter }) => filter));

test('pages of any list are the list: all that match, in order, each once, before and after a field is indexed', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(record, { maxLength: 14 }),
      fc.shuffledSubarray(indexable),
      fc.array(request, { minLength: 6, maxLength: 6 }),
      async (given, indexed, requests) => {
        const { organizationId } = await app.organization();
        const { database, ledger } = app.web.deps;
        const transact = transactFor(ledger.transact, organizationId);
        const own = ownRows(database, organizationId);
        const kind = 'thing';
        const locks = [typesLock(organizationId), typeLane(organizationId, kind)];
        const fields = names.map((name) => ({
          name,
          type: types[name] as 'text',
          indexed: indexed.includes(name) && indexed.indexOf(name) % 2 === 0,
          ...(name.startsWith('colour') && { options: options.map((value) => ({ value })) }),
        }));
        await transact({ locks }, ({ own: tx }) => createType(tx, { kind, label: 'Thing', fields }));
        const stored = (await records(transact, kind, given)) as Stored[];

        const check = async () => {
          const type = (await loadType(own, kind))!;
          const table: ListedTable = {
            name: 'records',
            fields: recordFieldsOf(type),
            columns: 'k.id, k.created_at::text',
            where: (bind) => `k.type_id = ${bind(type.id)}::uuid and k.deleted_at is null`,
          };
          for (const asked of requests) {
            const { limit, checks, models } = asked;
            const canSort =
              asked.sort === 'created_at' || type.fields.some((one) => one.name === asked.sort && one.indexState === 'ready');
            const sort = canSort ? asked.sort : 'created_at';
            const reads = createReads(database, { atOnce: 2, checks, ms: 30_000 });
            const filters = models.map(({ filter }) => filter);
            const listing = readListing('things', table.fields, {
              sort: asked.isDescending ? `-${sort}` : sort,
              // As the list has them, and as a search has them.
              ...(asked.any.length === 0 ? { filters: JSON.stringify(filters) } : { filters, any: anyOf(asked.any) }),
            });
            const ids = expected(stored, { ...asked, sort });
            const walked: string[] = [];
            for (let cursor: string | undefined; ; ) {
              const after = cursor === undefined ? undefined : beginOf(listing, cursor);
              const page = { limit, after, includeTotal: true };
              const { rows, end, total } = await listRows<{ id: string; created_at: string }>(
                reads,
                table,
                organizationId,
                listing,
                page,
              );
              expect(total).toBe(ids.length);
              walked.push(...rows.slice(0, limit).map(({ id }) => id));
              const next = rows.length > limit ? positionOf(listing.keys, rows[limit - 1]!) : end;
              if (!next) break;
              cursor = cursorOf(listing.binding, next);
            }
            expect(walked).toEqual(ids);
          }
        };

        await check();
        for (const name of indexed) {
          const { field } = await transact({ locks }, ({ own: tx }) => patchField(tx, kind, name, { indexed: true }, 'system'));
          for (;;) {
            const step = await takeIndexStep(transact, own, field.id, 3);
            if (!step) break;
            if (step.isLast) await transact({ locks }, ({ own: tx }) => endIndex(tx, field.id, step.walkedTo));
            if (step.isLast) break;
          }
        }
        await check();
      },
    ),
    { numRuns: numRuns({ default: 3, deep: 25 }) },
  );
}, 240_000);
