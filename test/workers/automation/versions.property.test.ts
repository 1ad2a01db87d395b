import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { patchRule } from '../../../src/automation/rules/change.ts';
import { publishLocks, publishRule } from '../../../src/automation/rules/publish.ts';
import { scopes } from '../../../src/organizations/scopes.ts';
import { fc, numRuns } from '../../support/fast-check.ts';
import { openRuleHouse, type RuleHouse } from '../../support/rule-runs.ts';
import { ruleVersionRows } from '../../support/work/automation.ts';

let at: RuleHouse;
beforeAll(async () => {
  at = await openRuleHouse();
});
afterAll(() => at.close());

const author = { scopes: new Set(scopes), actor: 'key:1' };
/** They say their version, before a wait and after it. */
const stepsOf = (n: number) => [
  { id: 'before', type: 'set_vars', vars: { before: n } },
  { id: 'w', type: 'wait', for: { hours: 1 } },
  { id: 'after', type: 'set_vars', vars: { after: n } },
];
type Act = { kind: 'begin' | 'publish' | 'work' | 'wake'; nth: number };
const act: fc.Arbitrary<Act> = fc.record({ kind: fc.constantFrom('begin', 'publish', 'work', 'wake'), nth: fc.nat(20) });

test('whenever a rule is published, a run ends with the version that it began with, and none changes', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(act, { minLength: 5, maxLength: 15 }), async (acts) => {
      const rule = await at.rule(stepsOf(1));
      const began = new Map<string, number>();
      let version = 1;
      const oneOf = (nth: number) => [...began.keys()][nth % Math.max(began.size, 1)];
      for (const { kind, nth } of acts) {
        const run = oneOf(nth);
        if (kind === 'begin') began.set(await at.begin(rule, { version }), version);
        if (kind === 'work' && run) await at.work(run, { isLate: false });
        if (kind === 'wake' && run && (await at.seen(run)).waiting_for) await at.passTime(run);
        if (kind !== 'publish') continue;
        version += 1;
        await at.transact({ locks: publishLocks(at.organization, rule) }, async ({ own }) => {
          await patchRule(own, author, rule, { steps: stepsOf(version) });
          expect(await publishRule(own, author, rule, { ruleVersionsMaxBytes: 0 })).toMatchObject({ version });
        });
      }
      for (const [run, number] of began) {
        await at.toRest(run);
        if ((await at.seen(run)).waiting_for) await at.passTime(run);
        const vars = { before: number, after: number };
        expect(await at.seen(run)).toMatchObject({ state: 'succeeded', version: number, vars });
      }
      const frozen = await ruleVersionRows.all(at, { rule_id: rule }, ['number', 'definition'], { number: 'asc' });
      expect(frozen.map(({ definition }) => definition.steps)).toEqual(frozen.map(({ number }) => stepsOf(number)));
      expect(frozen).toHaveLength(version);
    }),
    { numRuns: numRuns({ default: 3, deep: 20 }) },
  );
});
