import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { eventTypes } from '../../../../src/platform/events/catalogue.ts';
import { listening, typesMatching, wildcards } from '../../../../src/platform/events/listening.ts';
import { isHeard, listensTo } from '../../../../src/platform/events/record.ts';
import { fc, numRuns } from '../../../support/fast-check.ts';
import { type House, openHouse } from '../../../support/house.ts';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

/** Word by word: a star at the end stands for one word or more. */
function matches(pattern: string, type: string): boolean {
  const [wanted, words] = [pattern.split('.'), type.split('.')];
  if (wanted.at(-1) !== '*') return wanted.length === words.length && wanted.every((word, index) => word === words[index]);
  const before = wanted.slice(0, -1);
  return words.length > before.length && before.every((word, index) => word === words[index]);
}

// Few and short words, some the beginning of others, with what LIKE would take for a wildcard.
const word = fc.constantFrom('a', 'ab', 'a_b', 'b', 'b%', '_');
const type = fc.array(word, { minLength: 1, maxLength: 4 }).map((words) => words.join('.'));
const wildcard = fc.array(word, { maxLength: 3 }).map((words) => [...words, '*'].join('.'));

const heardBy = `
  select l.n, ${listensTo('t.type', 'l')} as is_heard
    from jsonb_to_recordset($1::jsonb) as l(n int, event_types text[], event_prefixes text[]),
         jsonb_array_elements_text($2::jsonb) with ordinality as t(type, place)
   order by l.n, t.place`;

test('the database matches types and wildcards as a naive matcher does', async () => {
  const cases = fc.tuple(
    fc.array(fc.array(fc.oneof(type, wildcard), { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 8 }),
    fc.array(type, { minLength: 1, maxLength: 8 }),
  );
  const wayThrough: [string[][], string[]] = [
    [['a.*', 'b'], ['*'], ['a_b.*']],
    ['a.b', 'b', 'ab.a', 'b%'],
  ];
  let [heard, unheard] = [0, 0];
  await fc.assert(
    fc.asyncProperty(cases, async ([endpoints, types]) => {
      const rows = endpoints.map((asked, n) => ({ n, ...listening(asked) }));
      const found = await house.sql<{ is_heard: boolean | null }>(heardBy, [JSON.stringify(rows), JSON.stringify(types)]);
      const wanted = endpoints.flatMap((asked) => types.map((one) => asked.some((pattern) => matches(pattern, one))));
      expect(found.map(({ is_heard }) => is_heard === true)).toEqual(wanted);
      for (const asked of endpoints)
        expect(typesMatching(asked, types)).toEqual(types.filter((one) => asked.some((pattern) => matches(pattern, one))));
      const matched = wanted.filter(Boolean).length;
      heard += matched;
      unheard += wanted.length - matched;
    }),
    { numRuns: numRuns({ default: 50, deep: 200 }), examples: [[wayThrough]] },
  );
  // Both answers were tried, by the first example at least.
  expect(heard).toBeGreaterThan(5);
  expect(unheard).toBeGreaterThan(5);
});

test('the wildcards that are taken are those that match a type of the catalogue', () => {
  expect(wildcards).toEqual(
    expect.arrayContaining(['*', 'message.*', 'contact.*', 'contacts.*', 'commerce.*', 'commerce.order.*']),
  );
  expect(new Set(wildcards).size).toBe(wildcards.length);
  for (const one of wildcards) expect([one, eventTypes.some((name) => matches(one, name))]).toEqual([one, true]);
  for (const one of ['messages.*', 'message.new.*', 'mess*', '*.*']) expect(wildcards).not.toContain(one);
});

test('a look before a write hears what the write delivers', async () => {
  const look = async (...types: string[]) => {
    const [row] = await house.sql<{ is_heard: boolean }>(`select ${isHeard('$1', ...types)} as is_heard`, [house.organizationId]);
    return row!.is_heard;
  };
  const listen = (asked: string[]) => {
    const { event_types, event_prefixes } = listening(asked);
    return house.sql(
      `insert into webhook_endpoints (id, organization_id, url, event_types, event_prefixes, ordering, secret)
       values (uuidv7(), $1, 'https://example.com/', $2, $3, 'best_effort', 'x')`,
      [house.organizationId, event_types, event_prefixes],
    );
  };
  expect(await look('conversation.updated')).toBe(false);
  await listen(['contact.*']);
  expect([await look('conversation.updated'), await look('conversation.updated', 'contact.created')]).toEqual([false, true]);
  await listen(['*']);
  expect(await look('conversation.updated')).toBe(true);
});
