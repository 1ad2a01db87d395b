import { firstCheck, type Handed, type HandedRow, handedColumns, handedOf } from './accept.ts';
import type { Tx } from './transact.ts';

/** The run of a row that is being worked on. */
export type RunRef = { id: string; run: number };

type Released = HandedRow & { state: string; pool: string | null };

/**
 * Ends a row and gives its lane to the next, in one statement: the next must read from the end, or two heads would meet in jobs_head.
 * Frees the row's room in its pool. The lane's lock is held. Returns false when this run is no longer the row's: someone else ended it.
 */
async function endAndRelease(tx: Tx, end: string, params: unknown[]): Promise<boolean> {
  const [row] = await tx.query<{ ended: number; pool: string | null; next: Released[] }>(
    `with ${end},
     n as (update jobs set state = case when pool is null then 'queued' else 'waiting' end, run_at = greatest(run_at, clock_timestamp()), check_at = greatest(run_at, clock_timestamp()) + ${firstCheck}
            where id = (select b.id from jobs b where b.lane = (select lane from ended where lane is not null limit 1) and b.state = 'blocked' order by b.seq limit 1)
           returning ${handedColumns})
     select (select count(*)::int from ended) as ended, (select pool from ended limit 1) as pool, (select coalesce(jsonb_agg(n), '[]') from n) as next`,
    params,
  );
  if (!row || row.ended === 0) return false;
  const handed: Handed = handedOf(row.next);
  if (row.pool && !handed.pools.includes(row.pool)) handed.pools.push(row.pool);
  tx.hand(handed);
  return true;
}

/** *done*: the row is deleted, or kept as `done` when people may look at it. */
export const endDone = (tx: Tx, { id, run }: RunRef) =>
  endAndRelease(
    tx,
    `kept as (update jobs set state = 'done', finished_at = clock_timestamp(), error = null where id = $1 and run = $2 and state = 'queued' and visible returning lane, pool),
     gone as (delete from jobs where id = $1 and run = $2 and state = 'queued' and not visible returning lane, pool),
     ended as (select * from kept union all select * from gone)`,
    [id, run],
  );

/** *done* from outside: whatever run the subject's live row is in, its work is proven done. */
export const endDoneOfSubject = (tx: Tx, name: string, subjectId: string) =>
  endAndRelease(
    tx,
    `ended as (delete from jobs where subject_id = $1 and name = $2 and state in ('queued', 'waiting') returning lane, pool)`,
    [subjectId, name],
  );

/** *failed*: kept with its error, for people to read and to retry. */
export const endFailed = (tx: Tx, { id, run }: RunRef, error: object) =>
  endAndRelease(
    tx,
    `ended as (update jobs set state = 'failed', error = $3, finished_at = clock_timestamp(), slot_at = null where id = $1 and run = $2 and state = 'queued' returning lane, pool)`,
    [id, run, JSON.stringify(error)],
  );

/** *failed* from outside, as endDoneOfSubject. */
export const endFailedOfSubject = (tx: Tx, name: string, subjectId: string, error: object) =>
  endAndRelease(
    tx,
    `ended as (update jobs set state = 'failed', run = run + 1, error = $3, finished_at = clock_timestamp(), slot_at = null where subject_id = $1 and name = $2 and state in ('queued', 'waiting') returning lane, pool)`,
    [subjectId, name, JSON.stringify(error)],
  );
