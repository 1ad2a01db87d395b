import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { askToCancelRuns, cancelStep, enqueueCancelRuns } from '../../../src/automation/runs/cancel-many.ts';
import type { CancelPayload, RetryPayload } from '../../../src/automation/runs/many-jobs.ts';
import { askToRetryRuns, retryStep } from '../../../src/automation/runs/retry-many.ts';
import { runJobOfRule } from '../../../src/automation/runs/run-job.ts';
import type { RunState } from '../../../src/automation/states.ts';
import { knowJobs } from '../../../src/jobs.ts';
import { ownRows } from '../../../src/platform/database/own.ts';
import { callOff, controlOf } from '../../../src/platform/ledger/control.ts';
import { Superseded } from '../../../src/platform/ledger/superseded.ts';
import { transactFor } from '../../../src/platform/ledger/tenant.ts';
import type { OwnTx } from '../../../src/platform/ledger/tx.ts';
import { cancelRuns } from '../../../workers/automation/cancel-runs.ts';
import { retryRuns } from '../../../workers/automation/retry-runs.ts';
import { automationRun, rule } from '../../support/factories/automation.ts';
import { contact } from '../../support/factories/contact.ts';
import { type House, openHouse, type ToyHandler } from '../../support/house.ts';
import { runRows } from '../../support/work/automation.ts';
import { contactRows } from '../../support/work/contacts.ts';
import { jobRows } from '../../support/work/jobs.ts';

let house: House;
let ruleId: string;
beforeAll(knowJobs);
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());
beforeEach(async () => {
  await house.reset('automation_runs');
  ruleId = (await rule(house.em(), house.organizationId)).id;
});

const anybody = { scopes: new Set(['automation:write', 'contacts:write']) };
const own = () => ownRows(house.database, house.organizationId);
const transact = () => transactFor(house.ledger.transact, house.organizationId);
const write = <Result>(work: (tx: OwnTx) => Promise<Result> | Result) => transact()({}, async ({ own: tx }) => work(tx));

async function run(state: RunState, given: object = {}): Promise<string> {
  const contactId = (await contact(house.em(), house.organizationId)).id;
  // An operation covers what was there before it; a process knows the database's clock only to some milliseconds.
  const createdAt = new Date(Date.now() - 60_000).toISOString();
  const { id } = await automationRun(house.em(), house.organizationId, { ruleId, state, contactId, createdAt, ...given });
  if (state === 'running') await write((tx) => tx.enqueue(runJobOfRule, { run_id: id }));
  return id;
}
const statesOf = async (ids: string[]) => {
  const rows = await runRows.all(house, { id: { $in: ids } }, ['id', 'state']);
  return ids.map((id) => rows.find((row) => row.id === id)!.state);
};
const many = (count: number, state: RunState, given = {}) =>
  Promise.all(Array.from({ length: count }, () => run(state, given))).then((ids) => ids.sort());
const jobOf = async <Payload>(id: string) => {
  const [row] = await jobRows.all(house, id, ['run', 'payload', 'progress', 'state']);
  return { ...row!, payload: row!.payload as Payload, ref: { organization_id: house.organizationId, id, run: row!.run } };
};
const runJobs = () => jobRows.all(house, { name: 'automation.run' }, ['subject_id'], { subject_id: 'asc' });

describe('cancel', () => {
  test('in batches, each with how far it came; a run that died goes on where it stood', async () => {
    const ids = await many(5, 'running');
    const id = await write((tx) => askToCancelRuns(tx, { ruleId }));
    const { payload, ref } = await jobOf<CancelPayload>(id);
    expect(await cancelStep(own(), transact(), payload, ref, 2)).toBe(true);
    expect(await statesOf(ids)).toEqual(['cancelled', 'cancelled', 'running', 'running', 'running']);
    expect((await jobOf(id)).progress).toEqual({ done: 2, left: 0, reached: ids[1] });
    expect(await cancelStep(own(), transact(), payload, ref, 2)).toBe(true);
    expect(await cancelStep(own(), transact(), payload, ref, 2)).toBe(false);
    expect(await statesOf(ids)).toEqual(Array(5).fill('cancelled'));
    expect(await runJobs()).toEqual([]);
    expect((await jobOf(id)).progress).toEqual({ done: 5, left: 0, reached: ids[4] });
  });

  test('the handler, twice: the second changes nothing', async () => {
    const ids = await many(2, 'running');
    const later = await run('running', { createdAt: '2099-01-01T00:00:00.000Z' });
    const id = await write((tx) => askToCancelRuns(tx, { ruleId }));
    expect((await house.run(cancelRuns as unknown as ToyHandler, { id })).kind).toBe('done');
    expect((await house.run(cancelRuns as unknown as ToyHandler, { id })).kind).not.toBe('failed');
    expect(await statesOf([...ids, later])).toEqual(['cancelled', 'cancelled', 'running']);
    expect(await jobOf(id)).toMatchObject({ state: 'done', progress: { done: 2, left: 0 } });
  });

  test('of a deleted rule all go, whenever they began, and say why', async () => {
    const later = await run('running', { createdAt: '2099-01-01T00:00:00.000Z' });
    const id = await write((tx) => enqueueCancelRuns(tx, { rule_id: ruleId }, 'rule_deleted'));
    await house.run(cancelRuns as unknown as ToyHandler, { id });
    const [row] = await runRows.all(house, later, ['state', 'reason']);
    expect(row).toEqual({ state: 'cancelled', reason: 'rule_deleted' });
  });

  test('of a deleted rule it cannot be called off: nobody would cancel what is left', async () => {
    const ids = await many(1, 'running');
    const id = await write((tx) => enqueueCancelRuns(tx, { rule_id: ruleId }, 'rule_deleted'));
    const calledOff = transact()(controlOf(own(), id), (tx) => callOff(tx, id, 'cli'));
    await expect(calledOff).rejects.toMatchObject({ status: 409 });
    await house.run(cancelRuns as unknown as ToyHandler, { id });
    expect(await statesOf(ids)).toEqual(['cancelled']);
  });

  test('called off: what it did stays done, and a run at work writes nothing more', async () => {
    const ids = await many(3, 'running');
    const id = await write((tx) => askToCancelRuns(tx, { ruleId }));
    const { payload, ref } = await jobOf<CancelPayload>(id);
    await cancelStep(own(), transact(), payload, ref, 1);
    await transact()(controlOf(own(), id), (tx) => callOff(tx, id, 'cli'));
    await expect(cancelStep(own(), transact(), payload, ref, 1)).rejects.toThrow(Superseded);
    expect(await statesOf(ids)).toEqual(['cancelled', 'running', 'running']);
  });
});

describe('retry', () => {
  test('each once, with a job; one that fails again meanwhile is left', async () => {
    const ids = await many(3, 'failed');
    const young = await run('failed', { endedAt: '2099-01-01T00:00:00.000Z' });
    const id = await write((tx) => askToRetryRuns(tx, { ruleId }, anybody));
    const { payload, ref } = await jobOf<RetryPayload>(id);
    expect(await retryStep(own(), transact(), payload, ref, 2)).toBe(true);
    expect(await statesOf(ids)).toEqual(['queued', 'queued', 'failed']);
    expect((await house.run(retryRuns as unknown as ToyHandler, { id })).kind).toBe('done');
    expect(await statesOf([...ids, young])).toEqual(['queued', 'queued', 'queued', 'failed']);
    expect(await runJobs()).toEqual(ids.map((subject_id) => ({ subject_id })));
    expect((await jobOf(id)).progress).toMatchObject({ done: 3, left: 0 });
  });

  test('what cannot be retried stays failed: without its subject, or the second beside one that lives', async () => {
    const contactId = (await contact(house.em(), house.organizationId)).id;
    const exclusive = { contactId, isExclusive: true };
    const [first, second] = await many(2, 'failed', exclusive);
    const gone = await run('failed');
    await contactRows.remove(house, (await runRows.one(house, gone)).contact_id!);
    const fine = await run('failed');
    const id = await write((tx) => askToRetryRuns(tx, { ruleId }, anybody));
    expect((await house.run(retryRuns as unknown as ToyHandler, { id })).kind).toBe('done');
    expect(await statesOf([first!, second!, gone, fine])).toEqual(['queued', 'failed', 'failed', 'queued']);
    expect((await jobOf(id)).progress).toMatchObject({ done: 2, left: 2 });
  });

  test('what does more than who asked may do is left, of whichever version or rule', async () => {
    const ids = await many(2, 'failed');
    const nobody = { scopes: new Set(['automation:write']) };
    await expect(write((tx) => askToRetryRuns(tx, { ruleId }, nobody))).rejects.toMatchObject({ code: 'forbidden' });
    const id = await write((tx) => askToRetryRuns(tx, { state: 'failed' }, nobody));
    expect((await house.run(retryRuns as unknown as ToyHandler, { id })).kind).toBe('done');
    expect(await statesOf(ids)).toEqual(['failed', 'failed']);
    expect((await jobOf(id)).progress).toMatchObject({ done: 0, left: 2 });
    await house.sql(`update jobs set state = 'queued', payload = payload - 'scopes', progress = null where id = $1`, [id]);
    expect((await house.run(retryRuns as unknown as ToyHandler, { id })).kind).toBe('done');
    expect(await statesOf(ids)).toEqual(['queued', 'queued']);
  });
});
