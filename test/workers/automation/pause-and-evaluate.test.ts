import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { ruleLock } from '../../../src/automation/jobs.ts';
import { pauseRule } from '../../../src/automation/rules/pause.ts';
import { openRuleHouse, type RuleHouse } from '../../support/evaluations.ts';
import { contact } from '../../support/factories/contact.ts';
import { waitFor } from '../../support/wait-for.ts';
import { isLockAwaited, lockWaiters } from '../../support/work/locks.ts';

let at: RuleHouse;
beforeAll(async () => {
  at = await openRuleHouse();
});
afterAll(() => at.close());
beforeEach(() => at.reset());

const pause = (rule: string) => at.transact({ locks: [ruleLock(rule)] }, ({ own }) => pauseRule(own, rule));
const waiters = (what: string) => () => isLockAwaited(at, { event: what });

test('a pause is answered after the evaluation that is about to begin a run, and no run begins after it', async () => {
  const who = await contact(at.house.em(), at.organization);
  const rule = await at.rule();
  const event = await at.updated(who.id);
  let [isPaused, isEvaluated] = [false, false];
  const [evaluating, pausing] = await at.house.database.transaction(async (em) => {
    // It has looked whether the rule is live, and cannot write its run.
    await em
      .getConnection()
      .execute('lock table automation_runs in share row exclusive mode', [], 'run', em.getTransactionContext());
    const first = at.evaluate(event).then(() => {
      isEvaluated = true;
    });
    await waitFor('the evaluation', waiters('relation'));
    const second = pause(rule).then(() => {
      isPaused = true;
    });
    await waitFor('the pause', waiters('advisory'));
    expect([isEvaluated, isPaused]).toEqual([false, false]);
    return [first, second];
  });
  await pausing;
  const begun = await at.runs(rule);
  expect(begun).toHaveLength(1);
  await evaluating;
  expect(await at.runs(rule)).toEqual(begun);
  await at.evaluate(await at.updated(who.id)).catch(() => undefined);
  expect(await at.runs(rule)).toEqual(begun);
});

test('an evaluation that comes while a pause is at work begins nothing', async () => {
  const who = await contact(at.house.em(), at.organization);
  const [rule, other] = [await at.rule(), await at.rule()];
  const event = await at.updated(who.id);
  const evaluating = await at.transact({ locks: [ruleLock(rule)] }, async ({ own }) => {
    const first = at.evaluate(event);
    await waitFor('the evaluation', waiters('advisory'));
    await pauseRule(own, rule);
    return { first };
  });
  expect(await evaluating.first).toEqual({ kind: 'done' });
  expect(await at.runs(rule)).toEqual([]);
  expect(await at.runs(other)).toHaveLength(1);
});

test('evaluations of one rule do not wait for each other', async () => {
  const rule = await at.rule();
  const [one, another] = [await contact(at.house.em(), at.organization), await contact(at.house.em(), at.organization)];
  const events = [await at.updated(one.id), await at.updated(another.id)];
  const held: unknown[] = [];
  const work = await at.house.database.transaction(async (em) => {
    await em
      .getConnection()
      .execute('lock table automation_runs in share row exclusive mode', [], 'run', em.getTransactionContext());
    const all = events.map((event) => at.evaluate(event));
    await waitFor('both', async () => {
      held.splice(0, held.length, ...(await lockWaiters(at, { event: 'relation' })));
      return held.length === 2;
    });
    return all;
  });
  expect(await Promise.all(work)).toEqual([{ kind: 'done' }, { kind: 'done' }]);
  expect(await at.runs(rule)).toHaveLength(2);
});
