import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Cut, cutConnections } from '../../support/cut-connections.ts';
import { isDeep, sample } from '../../support/depth.ts';
import { openRuleHouse, type RuleHouse } from '../../support/evaluations.ts';
import { contact } from '../../support/factories/contact.ts';
import { ruleRows, runRows, waitRows } from '../../support/work/automation.ts';
import { jobRows, makeDue } from '../../support/work/jobs.ts';

/** A process that dies, or loses its connection, at each statement of an evaluation. */
let at: RuleHouse;
let cuts: ReturnType<typeof cutConnections>;
beforeAll(async () => {
  at = await openRuleHouse();
  cuts = cutConnections(at.house.database.pool);
  Object.assign(at.house.deps, { isStopping: cuts.isDead });
});
afterAll(() => at.close());

/** An event that starts a rule, starts another again, is held back by two, and wakes a run. */
async function cutAt(cut: Cut): Promise<boolean> {
  await ruleRows.change(at, {}, { status: 'paused' });
  await jobRows.remove(at);
  const { id: who } = await contact(at.house.em(), at.organization);
  const [plain, restarts, busy, often] = (await Promise.all([
    at.rule({ conditions: { field: 'contact.id', value: who } }),
    at.rule({ concurrency: 'restart' }),
    at.rule({ concurrency: 'skip' }),
    at.rule({ limits: { starts_per_hour: 1 } }),
  ])) as [string, string, string, string];
  await at.evaluate(await at.updated(who));
  const waiting = await at.rule({
    trigger: { type: 'manual' },
    steps: [{ id: 'ask', type: 'wait_for', event: 'contact.updated', timeout: { days: 1 } }],
  });
  const run = await at.waitingRun({ rule: waiting, subject: who, event: 'contact.updated' });
  const event = await at.updated(who);

  const { isCut, error } = await cuts.during(cut, () => at.evaluate(event));
  if (error && !isCut) throw error;
  if (await at.evaluationOf(event)) {
    // A lost connection is tried again later.
    await makeDue(at, { subject_id: event });
    await at.evaluate(event);
  }

  expect(await at.evaluationOf(event)).toBeUndefined();
  expect((await at.runs(plain)).map(({ state }) => state)).toEqual(['queued', 'queued']);
  expect((await at.runs(restarts)).map(({ state, reason }) => [state, reason])).toEqual([
    ['cancelled', 'restarted'],
    ['queued', ''],
  ]);
  for (const [rule, reason] of [
    [busy, 'subject_busy'],
    [often, 'too_often'],
  ] as const) {
    expect(await at.runs(rule)).toHaveLength(1);
    expect(await at.held(rule)).toEqual([{ reason, count: 1 }]);
    expect(await at.told(rule)).toEqual([{ reason, count: 1 }]);
  }
  const [woken] = await at.sql(`select position->'waiting'->>'event_id' as event_id from automation_runs where id = $1`, [run]);
  expect(woken).toEqual({ event_id: event });
  expect(await waitRows.count(at, { run_id: run })).toBe(0);
  // A job for each live run, and nothing else.
  const live = await runRows.all(at, { state: { $in: ['queued', 'running'] }, subject_id: who }, ['id'], { id: 'asc' });
  const jobs = await jobRows.all(at, {}, ['subject_id'], { subject_id: 'asc' });
  expect(jobs.map(({ subject_id: id }) => ({ id }))).toEqual(live);
  return isCut;
}

test.each(sample([true, false], 1))(
  'an evaluation, cut off after each statement (the process dies: %s): all of it, once',
  async (dies) => {
    let trip = 1;
    while (await cutAt({ dies, at: trip })) trip += isDeep ? 1 : 3;
    expect(trip).toBeGreaterThan(8);
    expect(trip).toBeLessThan(80);
  },
);
