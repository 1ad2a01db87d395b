import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { retryRun } from '../../../src/automation/runs/retry.ts';
import { checkJobs } from '../../../src/platform/ledger/check.ts';
import { doing, openRuleHouse, type RuleHouse } from '../../support/rule-runs.ts';
import { ruleVersionRows } from '../../support/work/automation.ts';

let at: RuleHouse;
beforeAll(async () => {
  at = await openRuleHouse();
});
afterAll(() => at.close());

/** Outcomes of the runs of its job until that one has ended. */
async function untilOver(run: string): Promise<{ kind: string; delayMs: number }[]> {
  const ended: { kind: string; delayMs: number }[] = [];
  for (let turn = 0; turn < 30; turn += 1) {
    const one = await at.workOnce(run);
    if (!one) return ended;
    ended.push(one as never);
  }
  throw new Error('It has no end');
}

test('a run that meets a fault of our own at each attempt waits longer and longer, then fails, and can be retried', async () => {
  const act = at.toys.actions.get('do')!;
  if (act.kind !== 'database') throw new Error('No action of the database');
  const { prepare } = act;
  const run = await at.begin(await at.rule([doing('a'), { id: 'b', type: 'wait', for: { seconds: 0 } }, doing('c')]));
  act.prepare = async (...given) => {
    if ((given[1] as { name: string }).name === 'c') throw new TypeError('a bug, and a secret');
    return prepare(...given);
  };
  const ended = await untilOver(run).finally(() => {
    act.prepare = prepare;
  });
  expect(ended.map(({ kind }) => kind)).toEqual([...new Array(14).fill('wait'), 'failed']);
  const waits = ended.slice(0, -1).map(({ delayMs }) => delayMs);
  expect(waits.slice(0, 5)).toEqual([5_000, 15_000, 60_000, 120_000, 300_000]);
  expect(waits.every((ms, index) => ms >= (waits[index - 1] ?? 0) && ms <= 300_000)).toBe(true);

  const error = { code: 'internal', message: 'A fault of our own at each of 15 attempts: the log has its reason' };
  expect(await at.seen(run)).toMatchObject({ state: 'failed', failed_step: 'c', error, job_id: null });
  expect((await at.steps(run)).at(-1)).toMatchObject({ step_id: 'c', state: 'failed', error });
  expect(await at.tells(run)).toEqual(['automation.run.failed']);
  expect(await at.jobs(run)).toMatchObject([{ state: 'failed' }]);
  expect(await checkJobs(at.house.database)).toEqual([]);

  await at.locked(run, (tx) => retryRun(tx, run));
  expect((await at.workOnce(run))?.kind).toBe('done');
  expect(await at.seen(run)).toMatchObject({ state: 'succeeded', retries: 1, error: null });
  expect(await at.effects(run)).toEqual(['a', 'c']);
});

test('a step that takes too long at each attempt ends the attempt, and the steps before it are done by themselves', async () => {
  const act = at.toys.actions.get('do')!;
  if (act.kind !== 'database') throw new Error('No action of the database');
  const { prepare } = act;
  const run = await at.begin(await at.rule([doing('a'), doing('b')]));
  const timedOut = Object.assign(new Error('canceling statement due to statement timeout'), { code: '57014' });
  let writes = 0;
  act.prepare = async (...given) => {
    const prepared = await prepare(...given);
    if ((given[1] as { name: string }).name !== 'b') return prepared;
    const write = async () => {
      writes += 1;
      throw timedOut;
    };
    return { ...prepared, write };
  };
  const ended = [await at.workOnce(run), await at.workOnce(run)];
  act.prepare = prepare;
  expect(ended).toMatchObject([
    { kind: 'wait', delayMs: 5_000 },
    { kind: 'wait', delayMs: 15_000 },
  ]);
  expect(writes).toBe(10);
  expect(await at.effects(run)).toEqual(['a']);
  await at.workOnce(run);
  expect(await at.seen(run)).toMatchObject({ state: 'succeeded' });
  expect(await at.effects(run)).toEqual(['a', 'b']);
});

test('a run whose version cannot be read fails, too', async () => {
  const rule = await at.rule([doing('a')]);
  const run = await at.begin(rule);
  await ruleVersionRows.remove(at, { rule_id: rule });
  expect((await untilOver(run)).at(-1)?.kind).toBe('failed');
  expect(await at.seen(run)).toMatchObject({ state: 'failed', failed_step: '', error: { code: 'internal' } });
  expect(await at.steps(run)).toEqual([]);
});
