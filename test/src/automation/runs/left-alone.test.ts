import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { runJobOfRule } from '../../../../src/automation/runs/run-job.ts';
import type { RunState } from '../../../../src/automation/states.ts';
import { knowJobs } from '../../../../src/jobs.ts';
import { uuidv7 } from '../../../../src/platform/ids.ts';
import { checkJobs } from '../../../../src/platform/ledger/check.ts';
import { transactFor } from '../../../../src/platform/ledger/tenant.ts';
import { automationRun, rule, stepOf } from '../../../support/factories/automation.ts';
import { type House, openHouse } from '../../../support/house.ts';
import { setRun, waitForMessage } from '../../../support/rules/automation.ts';

let house: House;
let ruleId: string;
beforeAll(knowJobs);
beforeAll(async () => {
  house = await openHouse();
  ruleId = (await rule(house.em(), house.organizationId)).id;
});
beforeEach(() => house.reset('automation_runs'));
afterAll(() => house.close());

const run = async (state: RunState) => (await automationRun(house.em(), house.organizationId, { ruleId, state })).id;
async function withJob(id: string) {
  const jobId = await transactFor(house.ledger.transact, house.organizationId)({}, async ({ own }) =>
    own.enqueue(runJobOfRule, { run_id: id }),
  );
  await setRun(house.em(), id, { job_id: jobId });
}
const found = async () => (await checkJobs(house.database)).map(({ rule: one, id }) => [one, id]);

test.each(['queued', 'running'] as const)('a %s run without a job is found; with one it is not', async (state) => {
  const id = await run(state);
  await run('succeeded');
  expect(await found()).toEqual([['a subject without an end has a live row', id]]);
  await withJob(id);
  expect(await found()).toEqual([]);
});

test('a live run whose job is not the one it names', async () => {
  const id = await run('running');
  await withJob(id);
  await setRun(house.em(), id, { job_id: uuidv7() });
  expect(await found()).toEqual([['a live run names its job', id]]);
});

test('a job of a run that has ended', async () => {
  const id = await run('cancelled');
  await withJob(id);
  expect((await found()).map(([one]) => one)).toEqual(['a live row has a live subject']);
});

test('an ended run that waits for an event, or calls outside; a live one may', async () => {
  const [ended, live] = [await run('cancelled'), await run('running')];
  await withJob(live);
  for (const id of [ended, live]) {
    await stepOf(house.em(), house.organizationId, id, { state: 'calling' });
    await waitForMessage(house.em(), house.organizationId, id, uuidv7());
  }
  expect(await found()).toEqual([
    ['an ended run waits for no event', ended],
    ['an ended run has no call that is under way', ended],
  ]);
});
