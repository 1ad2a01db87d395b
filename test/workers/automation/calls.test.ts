import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Step } from '../../../src/automation/definition/definition.ts';
import { cancelRun } from '../../../src/automation/runs/end.ts';
import { retryRun } from '../../../src/automation/runs/retry.ts';
import { checkJobs } from '../../../src/platform/ledger/check.ts';
import { retryJob } from '../../../src/platform/ledger/retry.ts';
import { doing, openRuleHouse, type RuleHouse } from '../../support/rule-runs.ts';
import { runRows } from '../../support/work/automation.ts';
import { jobRows, poolRows } from '../../support/work/jobs.ts';
import { rightNow } from '../../support/work/rows.ts';

let at: RuleHouse;
beforeAll(async () => {
  at = await openRuleHouse();
});
beforeEach(() => {
  at.toys.asked.length = 0;
  at.toys.forget();
});
afterAll(() => at.close());

const asking = (id: string, type = 'ask'): Step => ({ id, type, name: id });
const poolOf = async (run: string) => (await at.jobs(run))[0]?.pool.split(':')[0];
const around = async (type = 'ask') => at.begin(await at.rule([doing('before'), asking('call', type), doing('after')]));
/** Its worker dies while the call is under way. */
const dies = () =>
  at.toys.answer(() => {
    throw new Error('The worker died');
  });
/** What is left of a worker that died at it: the row is as it was, and is run again. */
async function dieAt(run: string) {
  dies();
  await at.work(run);
  const [job] = await at.jobs(run);
  expect(await at.workOnce(run)).toMatchObject({ kind: 'wait' });
  at.house.lines.length = 0;
  await jobRows.change(at, job!.id, { error: null, run_at: rightNow() });
}

test('a call is made from the pool of its address, claimed first, and the run goes on in its own', async () => {
  const run = await around();
  let claimed: unknown;
  at.toys.answer(async () => {
    claimed = [await at.seen(run), (await at.steps(run)).at(-1)];
    return { kind: 'done', output: { status: 200 } };
  });
  expect(await at.work(run)).toEqual({ kind: 'done' });
  expect(await at.effects(run)).toEqual(['before']);
  expect(await poolOf(run)).toBe('http');
  const [pool] = await poolRows.all(at, { id: { $like: 'http:%' } }, ['width']);
  expect(pool).toEqual({ width: 10 });
  expect(await at.work(run)).toEqual({ kind: 'done' });
  expect(claimed).toMatchObject([
    { state: 'running', position: { at: [1], calling: { claim: expect.any(String), is_repeatable: false } }, steps_run: 1 },
    { number: 2, step_id: 'call', state: 'calling', attempt: 1, input: { name: 'call' }, is_ended: false },
  ]);
  expect(await poolOf(run)).toBe('automation');
  expect(await at.seen(run)).toMatchObject({
    state: 'running',
    position: { at: [2] },
    steps_run: 2,
    job_id: (await at.jobs(run))[0]!.id,
  });
  expect(await at.toRest(run)).toMatchObject({ state: 'succeeded', steps_run: 3 });
  expect((await at.steps(run))[1]).toMatchObject({ state: 'done', output: { status: 200 }, is_ended: true, error: null });
  expect(at.toys.asked).toEqual([{ key: `${run}.call`, fields: { name: 'call' } }]);
});

test('a call at the end ends the run with its answer', async () => {
  const run = await at.begin(await at.rule([asking('call')]));
  expect(await at.toRest(run)).toMatchObject({ state: 'succeeded', steps_run: 1, job_id: null });
  expect(await at.jobs(run)).toEqual([]);
});

test('what a call gave is read by the next step', async () => {
  const run = await at.begin(await at.rule([asking('call'), doing('a', { gives: '{{ steps.call.answer }}' })]));
  await at.toRest(run);
  expect((await at.steps(run))[1]).toMatchObject({ output: { gives: 'call' } });
});

test('a refused call fails the run, and a retry makes it again with the same key', async () => {
  const run = await around();
  at.toys.answer({ kind: 'refused', code: 'http_400', message: 'Bad request', output: { status: 400 } });
  const error = { code: 'http_400', message: 'Bad request' };
  expect(await at.toRest(run)).toMatchObject({
    state: 'failed',
    failed_step: 'call',
    error,
    steps_run: 1,
    position: { at: [1] },
  });
  expect((await at.steps(run))[1]).toMatchObject({ state: 'failed', error, output: { status: 400 }, attempt: 1 });
  await at.locked(run, (tx) => retryRun(tx, run));
  expect(await at.toRest(run)).toMatchObject({ state: 'succeeded', retries: 1, failed_step: null, error: null });
  expect((await at.steps(run))[1]).toMatchObject({ state: 'done', error: null, attempt: 2 });
  expect(at.toys.asked.map(({ key }) => key)).toEqual([`${run}.call`, `${run}.call`]);
  expect(await at.effects(run)).toEqual(['before', 'after']);
});

test('an address that is busy, or was not reached, is asked again', async () => {
  const run = await around();
  at.toys.answer(
    { kind: 'busy', retryAfterMs: 90_000, message: 'Too many requests' },
    { kind: 'failed', code: 'unreachable', message: 'Refused' },
  );
  await at.work(run);
  expect(await at.work(run)).toMatchObject({ kind: 'again', delayMs: 90_000, reason: 'Too many requests' });
  expect(await at.seen(run)).toMatchObject({
    state: 'running',
    waiting_for: 'ask',
    wakes_at: expect.any(String),
    position: { calling: { is_repeatable: false } },
  });
  expect((await at.steps(run))[1]).toMatchObject({ state: 'waiting', attempt: 1, error: { code: 'busy' }, is_ended: false });
  const [job] = await at.jobs(run);
  expect(job).toMatchObject({ attempts: 1, state: 'queued' });
  expect(job!.run_in).toBeGreaterThan(80_000);
  expect(await at.work(run)).toMatchObject({ kind: 'again' });
  expect((await at.steps(run))[1]).toMatchObject({ state: 'waiting', attempt: 2, error: { code: 'unreachable' } });
  await at.work(run);
  expect(await at.toRest(run)).toMatchObject({ state: 'succeeded', waiting_for: null, wakes_at: null });
  expect((await at.steps(run))[1]).toMatchObject({ state: 'done', attempt: 3 });
});

test('after the last attempt the run fails', async () => {
  const run = await around();
  at.toys.answer({ kind: 'failed', code: 'unreachable', message: 'Refused' });
  await at.work(run);
  await jobRows.change(at, { subject_id: run }, { attempts: 7 });
  await at.work(run);
  expect(await at.seen(run)).toMatchObject({ state: 'failed', failed_step: 'call', error: { code: 'unreachable' } });
});

test('a lost answer is unknown, and the call is not made again', async () => {
  const run = await around();
  at.toys.answer({ kind: 'unknown', code: 'timeout', message: 'No answer within 10 s' });
  expect(await at.toRest(run)).toMatchObject({ state: 'failed', failed_step: 'call', error: { code: 'outcome_unknown' } });
  expect(at.toys.asked).toHaveLength(1);
});

test('a lost answer of a call that may be repeated is asked for again', async () => {
  const run = await around('ask_again');
  at.toys.answer({ kind: 'unknown', code: 'timeout', message: 'No answer within 10 s' });
  await at.work(run);
  expect(await at.work(run)).toMatchObject({ kind: 'again' });
  await at.work(run);
  expect(await at.toRest(run)).toMatchObject({ state: 'succeeded' });
  expect(at.toys.asked.map(({ key }) => key)).toEqual([`${run}.call`, `${run}.call`]);
});

test('a call whose worker died is not made again: nobody knows whether it was made', async () => {
  const run = await around();
  await dieAt(run);
  expect((await at.steps(run))[1]).toMatchObject({ state: 'calling' });
  await at.work(run);
  expect(await at.seen(run)).toMatchObject({ state: 'failed', failed_step: 'call', error: { code: 'outcome_unknown' } });
  expect((await at.steps(run))[1]).toMatchObject({ state: 'failed', attempt: 1, error: { code: 'outcome_unknown' } });
  expect(at.toys.asked).toHaveLength(1);
});

test('a call that may be repeated is made again after its worker died', async () => {
  const run = await around('ask_again');
  await dieAt(run);
  await at.work(run);
  expect(await at.toRest(run)).toMatchObject({ state: 'succeeded' });
  expect((await at.steps(run))[1]).toMatchObject({ state: 'done', attempt: 2 });
  expect(at.toys.asked).toHaveLength(2);
});

test.each([
  { type: 'ask', code: 'outcome_unknown' },
  { type: 'ask_again', code: 'crashed' },
])('a job that is given up during a call $type fails the run with $code, and can be retried by hand', async ({ type, code }) => {
  const run = await around(type);
  await dieAt(run);
  await at.giveUp(run);
  expect(await at.seen(run)).toMatchObject({ state: 'failed', failed_step: 'call', error: { code }, job_id: null });
  expect((await at.steps(run))[1]).toMatchObject({ state: 'failed', error: { code } });
  expect(await at.tells(run)).toEqual(['automation.run.failed']);
  const [job] = await at.jobs(run);
  expect(job).toMatchObject({ state: 'failed' });
  expect(await checkJobs(at.house.database)).toEqual([]);
  await retryJob(at.house.ledger.transact, job!.id, at.organization);
  expect(await at.seen(run)).toMatchObject({ state: 'queued', job_id: job!.id, retries: 1 });
  expect(await at.toRest(run)).toMatchObject({ state: 'succeeded' });
  expect(await at.effects(run)).toEqual(['before', 'after']);
});

test('a retry of the run drops its job that was given up', async () => {
  const run = await around();
  await at.giveUp(run);
  expect(await at.seen(run)).toMatchObject({ state: 'failed', failed_step: 'before', error: { code: 'crashed' } });
  const [failed] = await at.jobs(run);
  await at.locked(run, (tx) => retryRun(tx, run));
  expect((await at.jobs(run)).map(({ id }) => id)).not.toContain(failed!.id);
  await expect(retryJob(at.house.ledger.transact, failed!.id, at.organization)).rejects.toMatchObject({ code: 'not_found' });
  expect(await at.toRest(run)).toMatchObject({ state: 'succeeded' });
});

test('a job that was given up is not retried by hand once its run was', async () => {
  const run = await around();
  await at.giveUp(run);
  const [failed] = await at.jobs(run);
  await runRows.change(at, run, { state: 'cancelled' });
  await expect(retryJob(at.house.ledger.transact, failed!.id, at.organization)).rejects.toMatchObject({ code: 'conflict' });
});

test('an answer that comes after the cancel changes nothing', async () => {
  const run = await around();
  at.toys.answer(async () => {
    await at.locked(run, (tx) => cancelRun(tx, run, 'asked', 'user:1'));
    return { kind: 'done', output: { status: 200 } };
  });
  await at.work(run);
  expect(await at.work(run)).toEqual({ kind: 'stale' });
  expect(await at.seen(run)).toMatchObject({ state: 'cancelled', reason: 'asked', steps_run: 1 });
  const error = { code: 'outcome_unknown', message: 'The run was cancelled by user:1 before the call was answered' };
  expect((await at.steps(run))[1]).toMatchObject({ state: 'failed', error });
  expect(await at.effects(run)).toEqual(['before']);
});

test('the answer of a worker that was taken for dead leaves the job to the one that asks again', async () => {
  const run = await around('ask_again');
  await at.work(run);
  const [job] = await at.jobs(run);
  const work = () => at.house.run(at.handler, { id: job!.id, run: job!.run });
  const [isAskedAgain, isAnswered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let second: Promise<unknown> | undefined;
  at.toys.answer(
    async () => {
      second = work();
      await isAskedAgain.promise;
      return { kind: 'done', output: { status: 200 } };
    },
    async () => {
      isAskedAgain.resolve();
      await isAnswered.promise;
      return { kind: 'done', output: { status: 201 } };
    },
  );
  expect(await at.work(run)).toEqual({ kind: 'stale' });
  isAnswered.resolve();
  expect(await second).toEqual({ kind: 'done' });
  expect(await at.toRest(run)).toMatchObject({ state: 'succeeded' });
  expect((await at.steps(run))[1]).toMatchObject({ state: 'done', output: { status: 201 }, attempt: 2 });
});

test('nothing is left over', async () => {
  expect(await checkJobs(at.house.database)).toEqual([]);
});
