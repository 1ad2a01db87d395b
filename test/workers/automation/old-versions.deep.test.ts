import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { patchRule } from '../../../src/automation/rules/change.ts';
import { alwaysRoomBytes, dropOldVersions, maxFormerVersions } from '../../../src/automation/rules/old-versions.ts';
import { publishLocks, publishRule } from '../../../src/automation/rules/publish.ts';
import { scopes } from '../../../src/organizations/scopes.ts';
import { openRuleHouse, type RuleHouse } from '../../support/rule-runs.ts';
import { ruleRows, ruleVersionRows, runRows } from '../../support/work/automation.ts';
import { movedBack } from '../../support/work/rows.ts';

let at: RuleHouse;
beforeAll(async () => {
  at = await openRuleHouse();
});
afterAll(() => at.close());

const author = { scopes: new Set(scopes), actor: 'key:1' };
const stepsOf = (n: number) => [
  { id: 'before', type: 'set_vars', vars: { before: n } },
  { id: 'w', type: 'wait', for: { hours: 1 } },
  { id: 'after', type: 'set_vars', vars: { after: n } },
];
const room = { ruleVersionsMaxBytes: 1e9 };

const publish = (rule: string, n: number, bound = room) =>
  at.transact({ locks: publishLocks(at.organization, rule) }, async ({ own }) => {
    await patchRule(own, author, rule, { steps: stepsOf(n) });
    await publishRule(own, author, rule, bound);
  });
const drop = (rule: string, bound: typeof room) =>
  at.transact({ locks: publishLocks(at.organization, rule) }, ({ own }) => dropOldVersions(own, bound));
/** As if they had been published so long ago. */
const age = (rule: string) => ruleVersionRows.change(at, { rule_id: rule }, { created_at: movedBack('created_at', '2 hours') });
const numbers = async (rule: string) => {
  const rows = await ruleVersionRows.all(at, { rule_id: rule }, ['number'], { number: 'asc' });
  return rows.map(({ number }) => number);
};

test('beyond the bound the oldest go with a publication; those that were replaced within the hour and the present one stay', async () => {
  const rule = await at.rule(stepsOf(1));
  for (const n of [2, 3]) await publish(rule, n);
  await age(rule);
  await publish(rule, 4, { ruleVersionsMaxBytes: 0 });
  expect(await numbers(rule)).toEqual([3, 4]);
  await age(rule);
  await drop(rule, room);
  expect(await numbers(rule)).toEqual([3, 4]);
  await drop(rule, { ruleVersionsMaxBytes: 0 });
  expect(await numbers(rule)).toEqual([4]);
});

test('that of a live run stays, and the run ends with it', async () => {
  const rule = await at.rule(stepsOf(1));
  const run = await at.begin(rule, { version: 1 });
  await at.toRest(run);
  for (const n of [2, 3]) await publish(rule, n);
  await age(rule);
  await runRows.change(at, { rule_id: rule }, { created_at: movedBack('created_at', '2 hours') });
  await drop(rule, { ruleVersionsMaxBytes: 0 });
  expect(await numbers(rule)).toEqual([1, 3]);
  await at.passTime(run);
  expect(await at.seen(run)).toMatchObject({ state: 'succeeded', version: 1, vars: { before: 1, after: 1 } });
  await drop(rule, { ruleVersionsMaxBytes: 0 });
  expect(await numbers(rule)).toEqual([3]);
});

test('of small ones the last hundred', async () => {
  const rule = await at.rule(stepsOf(1));
  await at.sql(
    `insert into automation_rule_versions (organization_id, rule_id, number, definition)
     select organization_id, rule_id, n, definition
       from automation_rule_versions, generate_series(2, 150) n
      where rule_id = $1`,
    [rule],
  );
  await ruleRows.change(at, rule, { version: 150 });
  await age(rule);
  await drop(rule, room);
  expect(await numbers(rule)).toEqual(Array.from({ length: maxFormerVersions + 1 }, (_, index) => 50 + index));
});

test('of thousands the oldest go with each publication, past those of live runs, and none is refused for the others', async () => {
  const rule = await at.rule(stepsOf(1));
  // Of the other rules here.
  await drop(rule, { ruleVersionsMaxBytes: 0 });
  const run = await at.begin(rule, { version: 1 });
  await at.toRest(run);
  await at.sql('alter table automation_rule_versions alter column definition set storage external');
  await at.sql(
    `insert into automation_rule_versions (organization_id, rule_id, number, definition)
     select organization_id, rule_id, n, definition || jsonb_build_object('x', repeat('x', 70000))
       from automation_rule_versions, generate_series(2, 2100) n
      where rule_id = $1`,
    [rule],
  );
  await ruleRows.change(at, rule, { version: 2100 });
  await age(rule);
  await runRows.change(at, { rule_id: rule }, { created_at: movedBack('created_at', '2 hours') });
  for (const first of [1_002, 2_002]) {
    await drop(rule, { ruleVersionsMaxBytes: 0 });
    expect((await numbers(rule)).slice(0, 2)).toEqual([1, first]);
  }
  await drop(rule, { ruleVersionsMaxBytes: 0 });
  expect(await numbers(rule)).toEqual([1, 2_100]);
});

test('where too much cannot go, a publication is refused', async () => {
  const rule = await at.rule(stepsOf(1));
  // Stored as it is: what is all alike would be kept in a few kB.
  await at.sql('alter table automation_rule_versions alter column definition set storage external');
  const fill = `update automation_rule_versions set definition = definition || jsonb_build_object('x', repeat('x', $2::int)) where rule_id = $1`;
  await at.sql(fill, [rule, alwaysRoomBytes]);
  await expect(publish(rule, 2, { ruleVersionsMaxBytes: 0 })).rejects.toMatchObject({ code: 'limit_reached' });
  expect(await numbers(rule)).toEqual([1]);
});
