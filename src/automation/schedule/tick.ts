import { getOrganization } from '../../organizations/organizations.ts';
import { brokenReference } from '../../platform/database/errors.ts';
import type { Own } from '../../platform/database/own.ts';
import { statement } from '../../platform/database/statement.ts';
import { Superseded } from '../../platform/ledger/superseded.ts';
import type { Look } from '../../platform/ledger/transact.ts';
import type { OwnTx, TenantTx } from '../../platform/ledger/tx.ts';
import { now, nowDate } from '../../platform/time/clock.ts';
import { momentMs } from '../../platform/time/moment.ts';
import { holdBack } from '../evaluate/held.ts';
import { ruleLock } from '../jobs.ts';
import { maxForEach } from '../limits.ts';
import { AutomationOccurrence, AutomationRule } from '../rule.entity.ts';
import { definitionOf } from '../runs/definition-of.ts';
import { clockOf, lastOf, nextOf, type RuleClock, windowOf, type Zones } from './clock.ts';
import { readDated } from './dated-subjects.ts';
import { enqueueTick } from './next.ts';
import { pauseSchedule } from './pause-schedule.ts';
import { type Due, locksOfRestarts, startBatch, stillThere, type TickedRule, whoseConditionsHold } from './start-batch.ts';
import { type Batch, readSubjects, type Source } from './subjects.ts';

export const usualBatch = 500;
/** `size`: subjects of one transaction; `max`: of one moment. */
export type TickSizes = { size?: number; max?: number };

type Seen = { found: Due[]; locks: string[] };
/** One transaction of a tick. The last one also writes the next tick, and ends the job. */
export type TickStep = { isLast: boolean; look: Look<Seen>; write(tx: TenantTx, seen: Seen): Promise<void> };
/** `early`: the clock of the process that wrote the tick was ahead. */
export type Tick = { kind: 'over' } | { kind: 'early'; ms: number } | ({ kind: 'step' } & TickStep);

const waiting = statement((select, { id, jobId }: { id: string; jobId: string }) =>
  select(AutomationRule)
    .select(['id', 'version', 'mode', 'next_at'])
    .where('id', '=', id)
    .where('tick_job_id', '=', jobId)
    .where('status', '=', 'live')
    .where('deleted_at', 'is', null),
);

/** Of an id, by the clock of the process that made it. */
const timeOf = (id: string) => new Date(Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16));

type Moment = { clock: RuleClock; zones: Zones; writtenAt: Date; first: Date; last: Date | undefined };
type Progress = { after: string | null; made: number };

/**
 * The next transaction of the tick that the job is for. A killed run loses one, and a subject has one run at a moment however often it is met. Of missed moments
 * the last falls. Throws 422 where what the rule names is not there any more.
 */
export async function nextStep(
  source: Source,
  ruleId: string,
  jobId: string,
  { size = usualBatch, max = maxForEach }: TickSizes = {},
): Promise<Tick> {
  const { own } = source;
  const [row] = await waiting(own, { id: ruleId, jobId });
  if (!row?.next_at) return { kind: 'over' };
  const first = new Date(momentMs(row.next_at));
  if (first.getTime() > now()) return { kind: 'early', ms: first.getTime() - now() };
  const definition = await definitionOf(own, { rule_id: ruleId, version: row.version });
  const rule: TickedRule = { id: ruleId, version: row.version, mode: row.mode, definition };
  const zones = await getOrganization(own);
  const clock = clockOf(definition.trigger, zones);
  if (!clock) return { kind: 'over' };
  const [begun] = await own.find(AutomationOccurrence, { rule_id: ruleId });
  const writtenAt = timeOf(jobId);
  const last = begun ? new Date(momentMs(begun.occurs_at)) : lastOf(clock, { writtenAt, first }, nowDate());
  const before: Progress = { after: begun?.after ?? null, made: begun?.made ?? 0 };
  const batch = await readBatch(source, rule, { clock, zones, writtenAt, first, last }, before.after, size);
  const room = Math.max(0, max - before.made);
  const found = batch.rows.slice(0, room);
  const isLast = batch.last === null || batch.rows.length > room;
  const moment = { clock, last };
  return {
    kind: 'step',
    isLast,
    look: lookAgain(own, rule, found),
    async write(tx, seen) {
      const [still] = await waiting(tx.own, { id: ruleId, jobId });
      if (!still) throw new Superseded();
      await startBatch(tx, rule, seen.found);
      if (found.length < batch.rows.length) await holdBack(tx.own, ruleId, 'too_many_runs', batch.rows.length - found.length);
      if (isLast) await endTick(tx.own, ruleId, moment);
      else await moveOn(tx.own, rule, last!, before, { after: batch.last, made: before.made + found.length });
    },
  };
}

async function readBatch(
  source: Source,
  { definition: { trigger } }: TickedRule,
  { clock, zones, writtenAt, first, last }: Moment,
  after: string | null,
  size: number,
): Promise<Batch<Due>> {
  if (!last) return { rows: [], last: null };
  if (trigger.type === 'date') {
    const asked = { trigger, clock, zones, window: windowOf(clock, { writtenAt, first }, last) };
    const { rows, last: end } = await readDated(source, asked, after, size);
    // Of the day, whatever the clock: who moves to another zone meanwhile has no second run.
    return { rows: rows.map(({ actingDay, ...due }) => ({ ...due, occursAt: new Date(`${actingDay}T00:00Z`) })), last: end };
  }
  if (trigger.type === 'schedule' && trigger.for_each) {
    const { rows, last: end } = await readSubjects(source, trigger.for_each, after, size);
    return { rows: rows.map((due) => ({ ...due, occursAt: last })), last: end };
  }
  const { organizationId: subjectId } = source.own;
  return { rows: [{ subjectType: 'organization', subjectId, contactId: null, occursAt: last }], last: null };
}

function lookAgain(own: Own, rule: TickedRule, first: Due[]): Look<Seen> {
  return {
    async look(attempt) {
      const there = attempt === 1 ? first : await stillThere(own, first);
      const found = await whoseConditionsHold(own, rule.definition, there);
      return { found, locks: [ruleLock(rule.id), ...(await locksOfRestarts(own, rule, found))] };
    },
    locks: ({ locks }) => locks,
    outdatedBy: (error) => brokenReference(error) === 'automation_runs_contact',
    isLong: true,
  };
}

/** SQL: an upsert that asserts where it begins. */
const moveStatement = `
  insert into automation_occurrences as o (organization_id, rule_id, occurs_at, version, after, made)
  values ($1, $2, $3, $4, $5, $6)
  on conflict (organization_id, rule_id, occurs_at) do update
     set after = excluded.after, made = excluded.made
   where o.after is not distinct from $7::uuid
  returning 1`;

async function moveOn(
  tx: OwnTx,
  { id, version }: TickedRule,
  occursAt: Date,
  before: Progress,
  { after, made }: Progress,
): Promise<void> {
  const moved = await tx.sql(moveStatement, [id, occursAt.toISOString(), version, after, made, before.after]);
  if (moved.length === 0) throw new Superseded();
}

/** One that has come meanwhile is due at once; of several the last falls. */
async function endTick(tx: OwnTx, ruleId: string, { clock, last }: Pick<Moment, 'clock' | 'last'>): Promise<void> {
  await tx.delete(AutomationOccurrence, { rule_id: ruleId });
  const next = enqueueTick(tx, ruleId, nextOf(clock, last ?? nowDate()));
  const none = { next_at: null, tick_job_id: null };
  await tx.update(AutomationRule, { id: ruleId }, next ?? none);
}

/** What the rule names is not there any more, such as a segment: nobody can say who is meant. Needs the rule's lock. */
export async function pauseAsInvalid(tx: OwnTx, ruleId: string, jobId: string): Promise<void> {
  const [still] = await waiting(tx, { id: ruleId, jobId });
  if (still) await pauseSchedule(tx, ruleId, 'not_valid');
}
