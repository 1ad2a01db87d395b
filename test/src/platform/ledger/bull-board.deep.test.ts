import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { keep } from '../../../../src/platform/ledger/backends/backend.ts';
import { runId } from '../../../../src/platform/ledger/queues.ts';
import { describeEachBackend } from '../../../support/backends.ts';
import { type House, openHouse, playing, toyHandler } from '../../../support/house.ts';
import { makeJobsDue, passForJobs, storeJobs } from '../../../support/rules/ledger-jobs.ts';
import { newToys } from '../../../support/rules/toys.ts';
import { playJob, throwJob } from '../../../support/toys.ts';
import { waitFor } from '../../../support/wait-for.ts';

describeEachBackend('what people see and do in Bull Board', (makeBackend) => {
  let house: House;
  const queue = () => house.queues.queue('default')!;
  const jobOf = (id: string, run = 1) => queue().getJob(runId({ id, run }));
  let mayPlay = false;

  beforeAll(async () => {
    house = await openHouse(makeBackend);
    const moody = toyHandler(playJob, async (payload, context) =>
      mayPlay ? playing().run(payload, context as never) : context.fail({ code: 'refused', message: 'not in the mood' }),
    );
    house.work([moody, playing(throwJob)], { concurrency: 20 });
  });
  afterAll(() => house.close());
  beforeEach(async () => {
    await house.reset();
    mayPlay = false;
  });

  const isIn = async (state: string, id: string, run = 1) => (await queue().getJobState(runId({ id, run }))) === state;
  const failedRun = async (id: string) => {
    await waitFor('the failed run', () => isIn('failed', id));
    return (await jobOf(id))!;
  };
  const failed = async () => {
    const made = await house.accept();
    return { ...made, job: await failedRun(made.id) };
  };

  test('rule 7: a failed run is shown with its reason', async () => {
    const { id, job } = await failed();
    expect(job.failedReason).toBe('refused: not in the mood');
    expect(await house.row(id)).toMatchObject({ state: 'failed', error: { code: 'refused' } });
    expect((await queue().getFailed(0, 100)).map(({ id: runIds }) => runIds)).toContain(runId({ id, run: 1 }));
  });

  test('rule 6: its retry button is the retry by hand: a new run does the work, the old one completes', async () => {
    const { id, toyId, job } = await failed();
    mayPlay = true;
    await job.retry();
    await waitFor('the work', async () => (await house.toy(toyId)).status === 'done');
    expect(await house.toy(toyId)).toMatchObject({ effects: 1, revivals: 1 });
    await waitFor('the old run', () => isIn('completed', id));
    await waitFor('the new run', () => isIn('completed', id, 2));
    expect(await house.row(id)).toBeUndefined();
  });

  test('rule 6: a run that BullMQ makes anew for a failed row echoes its error', async () => {
    const { id, job } = await failed();
    await job.remove();
    await queue().add(playJob.name, { organization_id: house.organizationId, id, run: 1 }, { jobId: runId({ id, run: 1 }) });
    expect((await failedRun(id)).failedReason).toBe('refused: not in the mood');
    expect(await house.row(id)).toMatchObject({ state: 'failed', run: 1 });
  });

  test('rule 2: a promoted run before its time puts itself off again', async () => {
    mayPlay = true;
    const { id, toyId } = await house.accept({ delayMs: 60_000 });
    const job = await waitFor('the run', () => jobOf(id));
    await job.promote();
    await waitFor('the log of the run', () => house.lines.find((line) => line.job_id === id && line.outcome === 'early'));
    await waitFor('the delay', () => isIn('delayed', id));
    expect((await house.toy(toyId)).effects).toBe(0);
    expect(await house.row(id)).toMatchObject({ state: 'queued', attempts: 0 });
  });

  test('rule 2: promoted after its row was made due, it runs', async () => {
    mayPlay = true;
    const { id, toyId } = await house.accept({ delayMs: 60_000 });
    const job = await waitFor('the run', () => jobOf(id));
    await makeJobsDue(house.em(), { id });
    await job.promote();
    await waitFor('the work', async () => (await house.toy(toyId)).effects === 1);
  });

  test('rule 3: a try that is put off spends none of BullMQ’s attempts', async () => {
    const { id } = await house.accept({ contract: throwJob });
    await waitFor('the end', async () => (await house.row(id)) === undefined);
    expect((await jobOf(id))?.attemptsMade).toBeLessThanOrEqual(1);
    const early = await house.accept({ delayMs: 400 });
    await passForJobs(house.em(), -300, early.id);
    mayPlay = true;
    await waitFor('the end', async () => (await house.row(early.id)) === undefined);
    await waitFor('its state', () => isIn('completed', early.id));
    expect((await jobOf(early.id))?.attemptsMade).toBe(1);
  });

  test('rule 7: at most 1,000 completed runs stay; the failed ones are kept two weeks', async () => {
    expect(keep.removeOnFail).toEqual({ age: 14 * 24 * 3_600, count: 10_000 });
    const subjectIds = await newToys(house.em(), throwJob.name, 1_100);
    await storeJobs(house.em(), house.organizationId, { name: throwJob.name, subjectIds });
    await house.sweepAll();
    await waitFor('the work', async () => (await house.rows()).length === 0);
    await waitFor('the last run', async () => (await queue().getJobCountByTypes('active', 'waiting')) === 0);
    // Runs that end at the very same moment may each leave one too many; the next to end takes them along.
    const { id } = await house.accept({ contract: throwJob });
    await waitFor('one more', () => isIn('completed', id));
    const completed = await queue().getCompletedCount();
    expect(completed).toBeGreaterThan(990);
    expect(completed).toBeLessThanOrEqual(1_000);
  });
});
