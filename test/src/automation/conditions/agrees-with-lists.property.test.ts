import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Comparison, Conditions } from '../../../../src/automation/conditions/conditions.ts';
import { holds } from '../../../../src/automation/conditions/evaluate.ts';
import { behind, type Facts, loadFacts } from '../../../../src/automation/conditions/facts.ts';
import type { SubjectType } from '../../../../src/automation/definition/definition.ts';
import { contactFields } from '../../../../src/contacts/list.ts';
import { dealFields } from '../../../../src/deals/list.ts';
import { conversationFields, usualOrder } from '../../../../src/messaging/inbox/list.ts';
import { type Own, ownRows } from '../../../../src/platform/database/own.ts';
import { bindTo } from '../../../../src/platform/listing/bind.ts';
import { type Field, type Fields, fieldOf } from '../../../../src/platform/listing/fields.ts';
import { isFault, operatorsOf, readFilter } from '../../../../src/platform/listing/filters.ts';
import { listingSql, readListing } from '../../../../src/platform/listing/listing.ts';
import type { Operator } from '../../../../src/platform/listing/operators.ts';
import { commonSql, type ListedTable } from '../../../../src/platform/listing/table.ts';
import { builtInLists } from '../../../../src/records/built-in/lists.ts';
import { recordsOf } from '../../../../src/records/list.ts';
import { knownType } from '../../../../src/records/types/known-type.ts';
import { recordFieldsOf } from '../../../../src/records/types/listing.ts';
import { fieldTypes } from '../../../../src/records/types/type.entity.ts';
import { taskFields } from '../../../../src/tasks/list.ts';
import { useApp } from '../../../support/app.ts';
import { fc, numRuns } from '../../../support/fast-check.ts';
import {
  amounts,
  decimals,
  declaredTypes,
  jsonScalars,
  kind,
  type Objects,
  options,
  recordNames,
  texts,
  userIds,
  variedObjects,
  wholeTimes,
} from '../../../support/varied-objects.ts';

const app = useApp({});
type Root = keyof Objects;
const rootNames: Root[] = ['contact', 'conversation', 'deal', 'task', 'record'];
const clock = { now: new Date(), hours: [], timezone: 'UTC' };

let own: Own;
let tables: Record<Root, ListedTable>;
const facts = new Map<Root, Map<string, Facts>>();

beforeAll(async () => {
  const { organizationId } = app.tenant;
  own = ownRows(app.web.deps.database, organizationId);
  const objects = await variedObjects(app, organizationId, 40);
  const type = await knownType(own, kind);
  tables = {
    contact: builtInLists.contact.table,
    conversation: builtInLists.conversation.table,
    deal: builtInLists.deal.table,
    task: builtInLists.task.table,
    record: recordsOf(type!),
  };
  for (const root of rootNames) {
    const loaded = new Map<string, Facts>();
    for (const id of objects[root]) {
      const contactId = root === 'contact' ? id : null;
      const refs = { eventId: null, subjectType: root as SubjectType, subjectId: id, contactId };
      loaded.set(id, await loadFacts(own, refs, new Set([root])));
    }
    facts.set(root, loaded);
  }
});

/** As the list gives them: by its indexes where it has some. */
async function listed(root: Root, filters: object[], any: object[][] = []): Promise<string[]> {
  const table = tables[root];
  const sort = root === 'conversation' ? usualOrder : undefined;
  const listing = readListing('all', table.fields, { filters, any, location: 'body', sort });
  const params: unknown[] = [own.organizationId];
  const bind = bindTo(params);
  const common = commonSql(table, bind);
  const { from, where, rest } = listingSql(table, listing, bind);
  const text = `select k.id from ${table.name} k${from} where k.organization_id = $1${common}${where}${rest}`;
  const rows = await own.sql<{ id: string }>(text, params.slice(1));
  return rows.map(({ id }) => id).sort();
}

const held = (root: Root, conditions: Conditions): string[] =>
  [...facts.get(root)!]
    .filter(([, one]) => holds(conditions, one, clock).holds)
    .map(([id]) => id)
    .sort();

const customKeys = ['tier', 'a.b', 'Tier', 'missing'].map((key) => `custom_fields.${key}`);
const namesOf = ({ columns, names, links = {}, typed, objects }: Fields): string[] => [
  ...[columns, names, links, typed?.fields ?? {}].flatMap((each) => Object.keys(each)),
  ...('custom_fields' in objects ? customKeys : []),
];

/** Of all ids that any object has. */
const someIds = () => fc.constantFrom(...rootNames.flatMap((root) => [...facts.get(root)!.keys()]));
const anyIds = (root: Root, name: string) => {
  const shown = [...facts.get(root)!.values()].flatMap((one) => [one[root]?.[name], one[behind]?.links?.[name]].flat());
  const ids = shown.filter((one): one is string => typeof one === 'string');
  return fc
    .oneof(ids.length > 0 ? fc.constantFrom(...ids) : someIds(), someIds())
    .chain((id) => fc.constantFrom(id, id.toUpperCase()));
};
const part = fc.constantFrom(
  ...texts,
  'a',
  'A',
  'ss',
  'ß',
  'i̇',
  'σ',
  'Σ',
  'fi',
  '\u0301',
  'example.com',
  'EXAMPLE',
  '+1650',
  '1650',
  '6505551234',
);

function givenFor(root: Root, name: string, field: Field): fc.Arbitrary<unknown> {
  const { type, typed } = field;
  if (typed) {
    const byType: Record<string, fc.Arbitrary<unknown>> = {
      number: fc.constantFrom(0, 1, -1, 1.5, 10, 9, 1e21, 1e-7),
      amount: fc.constantFrom(...amounts),
      boolean: fc.boolean(),
      date: fc.constantFrom('2026-01-01', '2026-01-02', '2025-12-30'),
      time: fc.constantFrom(...wholeTimes, '2026-01-01'),
      choice: fc.constantFrom(...options),
      choices: fc.constantFrom(...options),
      code: fc.constantFrom('EUR', 'USD', 'eur'),
      id: fc.constantFrom(...userIds, userIds[0]!.toUpperCase()),
    };
    return byType[typed.type] ?? part;
  }
  if (type === 'id' || type === 'link') return anyIds(root, name);
  if (type === 'time') return fc.constantFrom(...wholeTimes, '2026-01-01');
  if (type === 'number') return fc.constantFrom(...amounts, ...decimals, 5, 0.5);
  if (type === 'boolean') return fc.boolean();
  if (type === 'choice') return fc.constantFrom(...field.values!);
  return type === 'json' ? fc.constantFrom(...jsonScalars) : part;
}

function comparisonOf(root: Root, name: string, operator: Operator): fc.Arbitrary<Comparison> {
  const field = fieldOf(tables[root].fields, name)!;
  if (operator === 'is_empty' || operator === 'is_not_empty') return fc.constant({ field: name, operator });
  const value = givenFor(root, name, field);
  const given =
    operator === 'between'
      ? fc.tuple(value, value)
      : operator === 'in' || operator === 'not_in'
        ? fc.array(value, { minLength: 1, maxLength: 3 })
        : value;
  return given
    .map((one) => ({ field: name, operator, value: one }))
    .filter((one) => !isFault(readFilter(tables[root].fields, one)));
}

const inRule = (root: Root, { field, ...one }: Comparison): Comparison => ({ field: `${root}.${field}`, ...one });

/** Before the type of the records is there. */
const ofRecords: Fields = {
  ...recordFieldsOf({ fields: [] }),
  typed: { ...recordFieldsOf({ fields: [] }).typed!, fields: Object.fromEntries(recordNames.map((name) => [name, {} as never])) },
};
const fieldsOfRoot: Record<Root, Fields> = {
  contact: contactFields,
  conversation: conversationFields,
  deal: dealFields,
  task: taskFields,
  record: ofRecords,
};

test('the records have a field of every type', () => {
  expect([...declaredTypes].sort()).toEqual([...fieldTypes].sort());
});

describe.each(rootNames)('a condition on a %s', (root) => {
  test('may name every field that its list has', () => {
    expect(namesOf(fieldsOfRoot[root]).sort()).toEqual(namesOf(tables[root].fields).sort());
  });

  test.each(namesOf(fieldsOfRoot[root]))('holds where the list would have it: %s, by every operator', async (name) => {
    for (const operator of operatorsOf(fieldOf(tables[root].fields, name)!))
      await fc.assert(
        fc.asyncProperty(comparisonOf(root, name, operator), async (one) => {
          expect({ one, ids: held(root, inRule(root, one)) }).toEqual({ one, ids: await listed(root, [one]) });
        }),
        { numRuns: numRuns({ default: 1, deep: 8 }) },
      );
  });

  test('and several, of which all or any must hold', async () => {
    const anyName = fc.constantFrom(...namesOf(tables[root].fields));
    const anyOne = anyName.chain((name) =>
      fc
        .constantFrom(...operatorsOf(fieldOf(tables[root].fields, name)!))
        .chain((operator) => comparisonOf(root, name, operator)),
    );
    const some = fc.array(anyOne, { minLength: 1, maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(some, some, async (all, any) => {
        const conditions: Conditions = {
          all: [...all.map((one) => inRule(root, one)), { any: any.map((one) => inRule(root, one)) }],
        };
        expect(held(root, conditions)).toEqual(await listed(root, all, [any]));
        const others = held(root, { not: conditions });
        expect([...others, ...held(root, conditions)].sort()).toEqual([...facts.get(root)!.keys()].sort());
      }),
      { numRuns: numRuns({ default: 5, deep: 40 }) },
    );
  });
});
