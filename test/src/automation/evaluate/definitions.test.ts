import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createDefinitions, type VersionRef } from '../../../../src/automation/evaluate/definitions.ts';
import type { KeywordTrigger } from '../../../../src/automation/evaluate/keyword.ts';
import { AutomationRuleVersion } from '../../../../src/automation/rule.entity.ts';
import { type Own, ownRows } from '../../../../src/platform/database/own.ts';
import { uuidv7 } from '../../../../src/platform/ids.ts';
import { openRuleHouse, type RuleHouse } from '../../../support/evaluations.ts';
import { storeVersion } from '../../../support/rules/automation.ts';

let at: RuleHouse;
beforeAll(async () => {
  at = await openRuleHouse();
});
afterAll(() => at.close());

/** Counts the statements. */
function counted() {
  const own = ownRows(at.house.database, at.organization);
  let asked = 0;
  const counting: Own = Object.assign(Object.create(own), {
    organizationId: own.organizationId,
    sql: (text: string, params?: unknown[]) => {
      asked += 1;
      return own.sql(text, params);
    },
  });
  return { own: counting, asked: () => asked };
}
const ruleOf = async (keyword: string): Promise<VersionRef> => ({
  id: await at.rule({ trigger: { type: 'keyword', match: 'exact', keywords: [keyword, 'Ærø'] } }),
  version: 1,
});

test('a version is read once, with its keywords folded and what its conditions read', async () => {
  const { own, asked } = counted();
  const definitions = createDefinitions();
  const conditions = {
    all: [
      { field: 'contact.name', value: 'Ada' },
      { field: 'vars.tier', value: 'gold' },
    ],
  };
  const ref = { id: await at.rule({ conditions }), version: 1 };
  const keyword = await ruleOf('ÉTÉ');
  const read = await definitions.read(own, [ref, keyword]);
  expect(read.of(ref)).toMatchObject({ definition: { conditions }, keywords: [], roots: new Set(['contact', 'vars']) });
  expect(read.of(keyword)?.keywords).toEqual(['ete', 'aero']);
  expect((await definitions.read(own, [keyword, ref])).of(ref)).toBe(read.of(ref));
  expect(asked()).toBe(1);
});

test('it is known of a version whether a step calls outside, in a branch too', async () => {
  const { own } = counted();
  const call = { id: 'c', type: 'http_request', url: 'https://example.com/' };
  const branch = { id: 'b', type: 'branch', branches: [{ conditions: null, steps: [call] }] };
  const [calling, quiet] = [await at.rule({ steps: [branch] } as object), await at.rule({})];
  const refs = [calling, quiet].map((id) => ({ id, version: 1 }));
  const read = await createDefinitions().read(own, refs);
  expect(read.of(refs[0]!)?.callsOutside).toBe(true);
  expect(read.of(refs[1]!)?.callsOutside).not.toBe(true);
});

test('another version is another one, and what is not there is left out', async () => {
  const { own } = counted();
  const { id } = await ruleOf('one');
  const trigger = { type: 'keyword', match: 'exact', keywords: ['two'] };
  await storeVersion(at.house.em(), at.organization, id, 2, { trigger, conditions: null });
  const { read } = createDefinitions();
  const versions = await read(
    own,
    [1, 2, 3].map((version) => ({ id, version })),
  );
  expect([1, 2, 3].map((version) => versions.of({ id, version })?.keywords[0])).toEqual(['one', 'two', undefined]);
  expect((await read(own, [{ id: uuidv7(), version: 1 }])).of({ id, version: 1 })).toBeUndefined();
});

test('a version from which an erasure took a person is read again, by the time of its rule', async () => {
  const { own } = counted();
  const { id } = await ruleOf('Ada Lovelace');
  const { read } = createDefinitions();
  const [before, after] = ['2026-01-01', '2026-01-02'].map((changed_at) => ({ id, version: 1, changed_at })) as [
    VersionRef,
    VersionRef,
  ];
  const first = await read(own, [before]);
  const version = await at.house.em().findOneOrFail(AutomationRuleVersion, { rule_id: id });
  const trigger = { ...version.definition.trigger, keywords: ['[removed]'] } as KeywordTrigger;
  const definition = { ...version.definition, trigger };
  await at.house.em().nativeUpdate(AutomationRuleVersion, { rule_id: id }, { definition });
  expect((await read(own, [before])).of(before)).toBe(first.of(before));
  expect((await read(own, [after])).of(after)?.keywords).toEqual(['[removed]']);
});

test('the version that was not used for longest makes room', async () => {
  const { own, asked } = counted();
  const refs = [await ruleOf('a'), await ruleOf('b'), await ruleOf('c')] as const;
  const { read, size } = createDefinitions({ entries: 2, weight: 1_000_000 });
  for (const ref of [refs[0], refs[1], refs[0], refs[2]]) await read(own, [ref]);
  expect([size(), asked()]).toEqual([2, 3]);
  await read(own, [refs[0]]);
  expect(asked()).toBe(3);
  await read(own, [refs[1]]);
  expect(asked()).toBe(4);
});

test('more bytes than are kept: the last one stays, and all that were asked for are given', async () => {
  const { own } = counted();
  const refs = [await ruleOf('a'), await ruleOf('b')];
  const { read, size } = createDefinitions({ entries: 100, weight: 10 });
  const versions = await read(own, refs);
  expect(refs.map((ref) => versions.of(ref)?.keywords.length)).toEqual([2, 2]);
  expect(size()).toBe(1);
});
