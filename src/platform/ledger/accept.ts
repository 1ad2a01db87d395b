import type { RowOf } from '../database/tables.ts';
import type { Job } from './jobs.entity.ts';

/**
 * A row that goes to BullMQ now. `delay_ms` is the time left until its run by the database's clock; `read_at` is when this process read
 * it (ms), for rows of a paced pool, whose time in the plan must not slip on the way to the queue.
 */
export type DispatchedRow = RowOf<typeof Job, 'id' | 'run' | 'queue' | 'name' | 'organization_id' | 'pool'> & {
  delay_ms: number;
  read_at?: number;
};

/** What a transaction leaves to do after its commit. */
export type Dispatched = { rows: DispatchedRow[]; pools: string[] };

export type NewJob = RowOf<
  typeof Job,
  'id' | 'organization_id' | 'name' | 'queue' | 'payload' | 'subject_type' | 'subject_id' | 'lane' | 'pool' | 'visible'
> & { delay_ms: number };

/** How long after its time the sweeper first checks a row. */
export const firstCheck = `interval '5 s'`;

/** The columns of a row on its way to BullMQ, and its pool when it waits there for room. */
export const dispatchedColumns = `
  id, run, queue, name, state, organization_id, pool,
  greatest(0, extract(epoch from run_at - clock_timestamp()) * 1000)::float8 as delay_ms`;

export type Inserted = DispatchedRow & RowOf<typeof Job, 'state'>;

/** Sorts rows just written into those that go to BullMQ now and the pools to fill. */
export function dispatchedOf(rows: Inserted[]): Dispatched {
  const waiting = rows.filter((row) => row.state === 'waiting' && row.pool !== null);
  return { rows: rows.filter((row) => row.state === 'queued'), pools: [...new Set(waiting.map((row) => row.pool!))] };
}

/**
 * The state of a new row, from the columns of `n`; `place` is its place among the new rows of its lane. Not `exists`: for the hundred rows
 * the planner expects of a JSON list, it would first read the lanes of the whole ledger into a hash.
 */
export const stateOfNew = `
  case when n.lane is not null
            and (n.place > 1
                 or (select 1 from jobs l
                      where l.lane = n.lane and l.state in ('blocked', 'waiting', 'queued')
                      limit 1) is not null) then 'blocked'
       when n.pool is not null then 'waiting'
       else 'queued' end`;

/**
 * Rule 1, as part of the ledger's statement; $1 are the jobs as JSON. The caller holds the locks of their lanes.
 * SQL: a set of rows, each with the state its lane gives it, in one statement (docs/decisions/0008-hot-paths.md).
 */
export const acceptPart = `
  new_jobs as (
    select r.*, nextval('jobs_seq') as seq, row_number() over (partition by r.lane order by r.ord) as place
      from (select * from jsonb_to_recordset($1::jsonb)
              as x(ord int, id uuid, organization_id uuid, name text, queue text, payload jsonb,
                   subject_type text, subject_id uuid, lane text, pool text, visible boolean, delay_ms float8)
             order by ord) r),
  accepted as (
    insert into jobs (id, organization_id, name, queue, payload, subject_type, subject_id,
                      lane, pool, visible, seq, state, run_at, check_at)
    select id, organization_id, name, queue, payload, subject_type, subject_id,
           lane, pool, visible, seq, ${stateOfNew},
           clock_timestamp() + n.delay_ms * interval '1 ms',
           clock_timestamp() + n.delay_ms * interval '1 ms' + ${firstCheck}
      from new_jobs n
     order by n.ord
    returning ${dispatchedColumns})`;
