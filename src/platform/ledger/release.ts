import { dispatchedColumns, firstCheck } from './accept.ts';
import type { Part, PartText } from './part.ts';
import { stateIs } from './states.ts';
import type { End, EndKind, OwnTx, RunRef, Tx } from './tx.ts';

/** The run is no longer the row's: the transaction rolls back. */
export class RunOver extends Error {
  override name = 'RunOver';
}

const kept: PartText = (organization, id, run) => `
    update jobs
       set state = 'done', finished_at = clock_timestamp(), error = null
     where organization_id = ${organization} and id = ${id} and run = ${run} and ${stateIs('state', 'queued')} and visible
    returning organization_id, lane, pool`;
const gone: PartText = (organization, id, run) => `
    delete from jobs
     where organization_id = ${organization} and id = ${id} and run = ${run} and ${stateIs('state', 'queued')} and not visible
    returning organization_id, lane, pool`;

const ended: Record<EndKind, PartText> = {
  done: (...row) => `
  kept as (${kept(...row)}),
  gone as (${gone(...row)}),
  ended as (select * from kept union all select * from gone)`,
  kept: (...row) => `
  ended as (${kept(...row)})`,
  gone: (...row) => `
  ended as (${gone(...row)})`,
  failed: (organization, id, run, error) => `
  ended as (
    update jobs
       set state = 'failed', error = ${error}, finished_at = clock_timestamp(), slot_at = null
     where organization_id = ${organization} and id = ${id} and run = ${run} and ${stateIs('state', 'queued')}
    returning organization_id, lane, pool)`,
  'subject-done': (organization, subjectId, name) => `
  ended as (
    delete from jobs
     where organization_id = ${organization} and subject_id = ${subjectId} and name = ${name} and ${stateIs('state', 'queued', 'waiting')}
    returning organization_id, lane, pool)`,
  // Only the head of a lane leaves a place in it.
  'called-off': (organization, id, error) => `
  ended as (
    update jobs
       set state = 'done', run = run + 1, error = ${error}, finished_at = clock_timestamp(), slot_at = null
     where organization_id = ${organization} and id = ${id} and ${stateIs('state', 'blocked', 'waiting', 'queued', 'paused')} and visible
    returning organization_id, case when old.state <> 'blocked' then lane end as lane, pool)`,
};

/** By a function of the database, which is called for the released row alone: most ends release none, and its look has many nodes. */
export const stateOfReleased = `(state, slot_at) = (
         select r.state, r.slot_at
           from state_of_released(jobs.organization_id, jobs.pool, jobs.class, jobs.run_at) r)`;

/** SQL: two dependent sets (decisions/0008). The second reads from the first, or two heads of a lane would meet in jobs_head. */
const releasedAfter =
  (end: PartText, lane = '(select lane from ended)'): PartText =>
  (organization, ...more) =>
    `${end(organization, ...more)},
  released as (
    update jobs
       set ${stateOfReleased},
           run_at = greatest(run_at, clock_timestamp()),
           check_at = greatest(run_at, clock_timestamp()) + ${firstCheck}
     where organization_id = ${organization}
       and id = (select b.id from jobs b
                  where b.organization_id = ${organization}
                    and b.lane = ${lane} and b.state = 'blocked'
                  order by b.seq
                  limit 1)
    returning ${dispatchedColumns})`;

const released: Record<EndKind, PartText> = {
  done: releasedAfter(ended.done),
  kept: releasedAfter(ended.kept),
  gone: releasedAfter(ended.gone),
  failed: releasedAfter(ended.failed),
  'subject-done': releasedAfter(ended['subject-done'], '(select lane from ended where lane is not null limit 1)'),
  'called-off': releasedAfter(ended['called-off']),
};

/** Undefined: the lane is not known here. Without one there is none to release. */
export const endPart = ({ kind, params, lane }: End): Part =>
  lane === null ? { text: ended[kind], params } : { text: released[kind], params, dispatched: 'released' };

type Row = RunRef & { lane?: string | null; visible?: boolean };
type Ending = Pick<Tx, 'end'>;
type OwnEnding = Pick<OwnTx, 'end' | 'organizationId'>;

/** Deletes the row, or keeps it as `done` when it is an operation. Throws RunOver at commit when the run is not the row's. */
export const endDone = (tx: Ending, { organization_id, id, run, lane, visible }: Row, { isAsserted = false } = {}) => {
  const kind = visible === undefined ? 'done' : visible ? 'kept' : 'gone';
  tx.end({ kind, params: [organization_id, id, run], lane, isRequired: true, isAsserted });
};

export const endFailed = (tx: Ending, { organization_id, id, run, lane }: Row, error: object) =>
  tx.end({ kind: 'failed', params: [organization_id, id, run, JSON.stringify(error)], lane, isRequired: true });

/** An operation, whichever run it is in. */
export const endCalledOff = (tx: OwnEnding, { id, lane }: { id: string; lane: string | null }, error: object) =>
  tx.end({ kind: 'called-off', params: [tx.organizationId, id, JSON.stringify(error)], lane, isRequired: true });

/** The subject's work is proven done, whichever run its live row is in. */
export const endDoneOfSubject = (tx: OwnEnding, name: string, subjectId: string) =>
  tx.end({ kind: 'subject-done', params: [tx.organizationId, subjectId, name], isRequired: false });
