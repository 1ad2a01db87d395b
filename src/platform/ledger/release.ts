import { dispatchedColumns, firstCheck } from './accept.ts';
import { stateIs } from './states.ts';
import type { EndKind, RunRef, Tx } from './tx.ts';

/** The run is no longer the row's: the transaction rolls back. */
export class RunOver extends Error {
  override name = 'RunOver';
}

const ended: Record<EndKind, string> = {
  done: `
  kept as (
    update jobs
       set state = 'done', finished_at = clock_timestamp(), error = null
     where id = $1 and run = $2 and ${stateIs('state', 'queued')} and visible
    returning lane, pool),
  gone as (
    delete from jobs
     where id = $1 and run = $2 and ${stateIs('state', 'queued')} and not visible
    returning lane, pool),
  ended as (select * from kept union all select * from gone)`,
  failed: `
  ended as (
    update jobs
       set state = 'failed', error = $3, finished_at = clock_timestamp(), slot_at = null
     where id = $1 and run = $2 and ${stateIs('state', 'queued')}
    returning lane, pool)`,
  'subject-done': `
  ended as (
    delete from jobs
     where subject_id = $1 and name = $2 and ${stateIs('state', 'queued', 'waiting')}
    returning lane, pool)`,
  'subject-failed': `
  ended as (
    update jobs
       set state = 'failed', run = run + 1, error = $3, finished_at = clock_timestamp(), slot_at = null
     where subject_id = $1 and name = $2 and ${stateIs('state', 'queued', 'waiting')}
    returning lane, pool)`,
};

/** SQL: two dependent sets (decisions/0008). The second reads from the first, or two heads of a lane would meet in jobs_head. */
export const releasePart = (kind: EndKind) => `${ended[kind]},
  released as (
    update jobs
       set state = case when pool is null then 'queued' else 'waiting' end,
           run_at = greatest(run_at, clock_timestamp()),
           check_at = greatest(run_at, clock_timestamp()) + ${firstCheck}
     where id = (select b.id from jobs b
                  where b.lane = (select lane from ended where lane is not null limit 1) and b.state = 'blocked'
                  order by b.seq
                  limit 1)
    returning ${dispatchedColumns})`;

type Row = RunRef & { lane?: string | null };
type Ending = Pick<Tx, 'end'>;

/** Deletes the row, or keeps it as `done` when it is an operation. Throws RunOver at commit when the run is not the row's. */
export const endDone = (tx: Ending, { id, run, lane }: Row, { isAsserted = false } = {}) =>
  tx.end({ kind: 'done', params: [id, run], lane, isRequired: true, isAsserted });

export const endFailed = (tx: Ending, { id, run, lane }: Row, error: object) =>
  tx.end({ kind: 'failed', params: [id, run, JSON.stringify(error)], lane, isRequired: true });

/** The subject's work is proven done, whichever run its live row is in. */
export const endDoneOfSubject = (tx: Ending, name: string, subjectId: string) =>
  tx.end({ kind: 'subject-done', params: [subjectId, name], isRequired: false });

export const endFailedOfSubject = (tx: Ending, name: string, subjectId: string, error: object) =>
  tx.end({ kind: 'subject-failed', params: [subjectId, name, JSON.stringify(error)], isRequired: false });
