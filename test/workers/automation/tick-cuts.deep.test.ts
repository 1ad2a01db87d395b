import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Concurrency, Trigger } from '../../../src/automation/definition/definition.ts';
import { ruleLock } from '../../../src/automation/jobs.ts';
import { scheduleNext } from '../../../src/automation/schedule/next.ts';
import { checkJobs } from '../../../src/platform/ledger/check.ts';
import { tickRuleWith } from '../../../workers/automation/tick.ts';
import { type Cut, cutConnections } from '../../support/cut-connections.ts';
import { openRuleHouse, type RuleHouse } from '../../support/evaluations.ts';
import { contact } from '../../support/factories/contact.ts';
import type { ToyHandler } from '../../support/house.ts';
import { occurrenceRows, ruleRows, runRows } from '../../support/work/automation.ts';
import { contactRows } from '../../support/work/contacts.ts';
import { jobRows, makeDue } from '../../support/work/jobs.ts';

/** A process that dies, or loses its connection, at each statement of a tick. */
let at: RuleHouse;
let cuts: ReturnType<typeof cutConnections>;
let people: string[];
beforeAll(async () => {
  at = await openRuleHouse();
  cuts = cutConnections(at.house.database.pool);
  Object.assign(at.house.deps, { isStopping: cuts.isDead });
  people = [];
  for (let made = 0; made < 5; made += 1) people.push((await contact(at.house.em(), at.organization)).id);
  people.sort();
  await contactRows.change(at, {}, { custom_fields: { since: '2020-02-02' } });
});
afterAll(() => at.close());
beforeEach(() => at.reset());

/** Batches of two: three transactions for five people. */
const handler = tickRuleWith({ size: 2 }) as unknown as ToyHandler;
const yearly = { type: 'schedule', cron: '0 0 1 1 *', timezone: 'UTC' } as const;
const forEach: Trigger = { ...yearly, for_each: { kind: 'contact' } };
const thisYear = new Date().getUTCFullYear();
const newYear = Date.UTC(thisYear);
const today = new Date(new Date().toISOString().slice(0, 10)).getTime();
const daysSince = Math.round((today - Date.UTC(2020, 1, 2)) / 86_400_000);
const dated: Trigger = {
  ...{ type: 'date', kind: 'contact', field: 'custom_fields.since', at: '00:00', timezone: 'UTC' },
  offset_days: daysSince,
};

type Way = { trigger: Trigger; concurrency: Concurrency; moment: number; next: number; subjects(): string[]; isBusy: boolean };
const schedule = { trigger: forEach, moment: newYear, next: Date.UTC(thisYear + 1), subjects: () => people };
const ways: Record<string, Way> = {
  'one run about the organization': {
    ...{ ...schedule, trigger: yearly, concurrency: 'each', isBusy: false },
    subjects: () => [at.organization],
  },
  'a run for each of a list, in several batches': { ...schedule, concurrency: 'each', isBusy: false },
  'in place of runs that live': { ...schedule, concurrency: 'restart', isBusy: true },
  'beside runs that live and hold it back': { ...schedule, concurrency: 'skip', isBusy: true },
  'the date of each person': {
    ...{ trigger: dated, concurrency: 'each', isBusy: false, subjects: () => people },
    ...{ moment: today, next: today + 86_400_000 },
  },
};

/** A rule whose moment has come. The job that waited for it. */
async function due({ trigger, concurrency, moment }: Way): Promise<{ rule: string; jobId: string }> {
  const rule = await at.rule({ trigger, concurrency });
  const next = await at.transact({ locks: [ruleLock(rule)] }, ({ own }) => scheduleNext(own, { id: rule }, { trigger }));
  const jobId = next!.tick_job_id;
  await ruleRows.change(at, rule, { next_at: new Date(moment).toISOString(), tick_job_id: jobId });
  await comes(jobId);
  return { rule, jobId };
}

const comes = (jobId: string) => makeDue(at, jobId);

/** Two of the people, not of one batch. */
async function busyPeople(rule: string): Promise<string[]> {
  const busy = [people[1]!, people[3]!];
  for (const subject of busy) await at.waitingRun({ rule, subject, event: 'contact.updated' });
  return busy;
}

async function cutAt(way: Way, cut: Cut): Promise<boolean> {
  await at.reset();
  const { rule, jobId } = await due(way);
  const busy = way.isBusy ? await busyPeople(rule) : [];
  const tick = async () => at.house.run(handler, { id: jobId, run: (await at.house.row(jobId))!.run });

  const { isCut, error } = await cuts.during(cut, tick);
  if (error && !isCut) throw error;
  for (let round = 0; round < 3 && (await at.house.row(jobId)); round += 1) {
    await comes(jobId);
    await tick();
  }

  // The job of the moment is over, and one other waits for the next one.
  const ticks = await jobRows.all(at, { name: 'automation.tick' }, ['id']);
  const { tick_job_id: nextJobId, next_at: nextAt } = await ruleRows.one(at, rule);
  expect(ticks).toEqual([{ id: nextJobId }]);
  expect(nextJobId).not.toBe(jobId);
  expect(new Date(nextAt!).getTime()).toBe(way.next);
  expect(await occurrenceRows.count(at)).toBe(0);

  const runs = await runRows.all(at, { occurs_at: { $ne: null } }, ['subject_id', 'occurs_at'], { subject_id: 'asc' });
  const isHeld = (one: string) => way.concurrency === 'skip' && busy.includes(one);
  expect(runs.map(({ subject_id: one }) => one)).toEqual(way.subjects().filter((one) => !isHeld(one)));
  for (const { occurs_at: moment } of runs) expect(new Date(moment!).getTime()).toBe(way.moment);
  const earlier = await runRows.all(at, { occurs_at: null }, ['state', 'reason']);
  const left = way.concurrency === 'restart' ? { state: 'cancelled', reason: 'restarted' } : { state: 'running', reason: '' };
  expect(earlier).toEqual(busy.map(() => left));
  expect(await at.held(rule)).toEqual(way.concurrency === 'skip' ? [{ reason: 'subject_busy', count: 2 }] : []);

  // A job for each live run.
  const live = await runRows.all(at, { state: { $in: ['queued', 'running'] } }, ['id'], { id: 'asc' });
  const jobs = await jobRows.all(at, { name: 'automation.run' }, ['subject_id'], { subject_id: 'asc' });
  expect(jobs.map(({ subject_id: id }) => ({ id }))).toEqual(live);
  return isCut;
}

test.each(Object.entries(ways))('%s, cut off after each statement: each once, and the next tick', async (_, way) => {
  for (const dies of [true, false]) {
    let trip = 1;
    while (await cutAt(way, { dies, at: trip })) trip += 1;
    expect(trip).toBeGreaterThan(5);
    expect(trip).toBeLessThan(80);
  }
  expect(await checkJobs(at.house.database)).toEqual([]);
});
