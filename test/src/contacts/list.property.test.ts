import { expect, test } from '@jest/globals';
import { contactPages, listContacts, readContactListing } from '../../../src/contacts/list.ts';
import type { ContactRow } from '../../../src/contacts/queries.ts';
import { uuidv7 } from '../../../src/platform/ids.ts';
import { cursorOf } from '../../../src/platform/listing/cursor.ts';
import { positionOf } from '../../../src/platform/listing/keyset.ts';
import { beginOf } from '../../../src/platform/listing/listing.ts';
import { createReads } from '../../../src/platform/listing/reads.ts';
import { useApp } from '../../support/app.ts';
import { fc, numRuns } from '../../support/fast-check.ts';

const app = useApp({});

type Person = { name: string; created_at: string; updated_at: string; custom_fields: Record<string, unknown> };
type Stored = Person & { id: string };

/** Few values, so that nearly everything is a tie; names beyond ASCII, some of which fold to others. */
const word = fc.constantFrom('ada', 'Ada', 'Ádám', 'Zoë', 'ö', 'Ба', '王', '😀', 'a_b', '50%', 'x');
const name = fc.array(word, { maxLength: 2 }).map((words) => words.join(' '));
const moment = fc.constantFrom('000000', '000001', '000999', '001000').map((micros) => `2026-01-01T00:00:00.${micros}Z`);
const score = fc.constantFrom(0, 1, 1.5, 10, '1', '10', true, null, undefined);
const person: fc.Arbitrary<Person> = fc
  .record({ name, created_at: moment, updated_at: moment, score })
  .map(({ score: given, ...rest }) => ({ ...rest, custom_fields: given === undefined ? {} : { 'my.score': given } }));

const sort = fc
  .shuffledSubarray(['name', 'created_at', 'updated_at'], { minLength: 1 })
  .chain((names) => fc.tuple(...names.map((one) => fc.constantFrom(one, `-${one}`))));

type Model = { filter?: object; search?: string; holds(person: Person): boolean };
const scoreOf = ({ custom_fields }: Person) => custom_fields['my.score'];
const field = 'custom_fields.my.score';
const number = fc.constantFrom(0, 1, 1.5, 10);
const models: fc.Arbitrary<Model> = fc.oneof(
  fc.constant<Model>({ holds: () => true }),
  fc
    .constantFrom<unknown>(1, 10, '1', true)
    .chain((value) =>
      fc.constantFrom<Model>(
        { filter: { field, value }, holds: (one) => scoreOf(one) === value },
        { filter: { field, operator: 'neq', value }, holds: (one) => scoreOf(one) !== value },
      ),
    ),
  number.map<Model>((value) => ({
    filter: { field, operator: 'gt', value },
    holds: (one) => typeof scoreOf(one) === 'number' && (scoreOf(one) as number) > value,
  })),
  fc.tuple(number, number).map<Model>(([from, to]) => ({
    filter: { field, operator: 'between', value: [from, to] },
    holds: (one) => typeof scoreOf(one) === 'number' && (scoreOf(one) as number) >= from && (scoreOf(one) as number) <= to,
  })),
  fc.constantFrom<Model>(
    { filter: { field, operator: 'is_empty' }, holds: (one) => (scoreOf(one) ?? null) === null },
    { filter: { field, operator: 'is_not_empty' }, holds: (one) => (scoreOf(one) ?? null) !== null },
  ),
  fc.constantFrom('a', '_', '%', 'Б').map<Model>((value) => ({
    filter: { field: 'name', operator: 'contains', value },
    holds: (one) => one.name.toLowerCase().includes(value.toLowerCase()),
  })),
  word.map<Model>((sought) => ({ search: sought, holds: (one) => isFound(folded(one.name), folded(sought)) })),
);
const folded = (text: string) => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
const isFound = (text: string, sought: string) =>
  [...sought].length < 3 ? ` ${text}`.includes(` ${sought}`) : text.includes(sought);

const compared = (one: string, other: string) => Buffer.compare(Buffer.from(one), Buffer.from(other));
function expected(people: Stored[], keys: string[], { holds }: Model): string[] {
  const all = [...keys, keys.at(-1)!.startsWith('-') ? '-id' : 'id'];
  return people
    .filter(holds)
    .sort((one, other) => {
      for (const key of all) {
        const property = key.replace('-', '') as 'name';
        const [mine, others] = property === 'name' ? [folded(one.name), folded(other.name)] : [one[property], other[property]];
        const order = compared(mine, others);
        if (order !== 0) return key.startsWith('-') ? -order : order;
      }
      return 0;
    })
    .map(({ id }) => id);
}

async function store(people: Person[]): Promise<{ organizationId: string; stored: Stored[] }> {
  const { organizationId } = await app.organization();
  const stored = people.map((one) => ({ ...one, id: uuidv7() }));
  await app.rows(
    `insert into contacts (id, organization_id, name, custom_fields, created_at, updated_at)
     select x.id, $1, x.name, x.custom_fields, x.created_at, x.updated_at
       from jsonb_to_recordset($2::jsonb) as x(id uuid, name text, custom_fields jsonb, created_at timestamptz, updated_at timestamptz)`,
    [organizationId, JSON.stringify(stored)],
  );
  return { organizationId, stored };
}

test('pages of any list are the list: all that match, in order, each once', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(person, { maxLength: 16 }),
      fc.array(
        fc.record({ sort, model: models, limit: fc.integer({ min: 1, max: 7 }), checks: fc.constantFrom(1, 3, 10, 1_000) }),
        {
          minLength: 4,
          maxLength: 4,
        },
      ),
      async (people, requests) => {
        const { organizationId, stored } = await store(people);
        const { database } = app.web.deps;
        for (const { sort: keys, model, limit, checks } of requests) {
          // With few checks pages end before they are full, and go on after what was looked at.
          const reads = createReads(database, { atOnce: 2, checks, ms: 30_000 });
          const { filter, search } = model;
          const listing = readContactListing({
            sort: keys.join(','),
            search,
            ...(filter && { filters: JSON.stringify([filter]) }),
          });
          const ids = expected(stored, keys, model);
          const walked: string[] = [];
          for (let cursor: string | undefined; ; ) {
            const after = cursor === undefined ? undefined : beginOf(listing, cursor);
            const { rows, end, total } = await listContacts(reads, organizationId, listing, { limit, after, includeTotal: true });
            expect(total).toBe(ids.length);
            walked.push(...rows.slice(0, limit).map(({ id }) => id));
            const next = rows.length > limit ? positionOf(listing.keys, rows[limit - 1]!) : end;
            if (!next) break;
            cursor = cursorOf(listing.binding, next);
          }
          expect(walked).toEqual(ids);
          const exported: ContactRow[][] = [];
          for await (const page of contactPages((work) => work(reads.plain), organizationId, listing, limit)) exported.push(page);
          expect(exported.flat().map(({ id }) => id)).toEqual(ids);
          expect(exported.every((page) => page.length > 0 && page.length <= limit)).toBe(true);
        }
      },
    ),
    { numRuns: numRuns({ default: 5, deep: 40 }) },
  );
});
