/**
 * A row that has its turn and belongs in BullMQ. `delay_ms` is what the database's clock says is left until its run; `read_at` is when
 * this process read that (ms), for rows whose place in a plan allows no dallying on the way to the queue.
 */
export type DispatchedRow = {
  id: string;
  run: number;
  queue: string;
  name: string;
  organization_id: string;
  pool: string | null;
  delay_ms: number;
  read_at?: number;
};

/** What a transaction leaves for after its commit. */
export type Dispatched = { rows: DispatchedRow[]; pools: string[] };

export type NewJob = {
  id: string;
  organization_id: string;
  name: string;
  queue: string;
  payload: Record<string, string>;
  subject_type: string;
  subject_id: string;
  lane: string | null;
  pool: string | null;
  visible: boolean;
  delay_ms: number;
};

/** How long after it should have run the sweeper first looks at a row. */
export const firstCheck = `interval '5 s'`;

/** The columns of a row on its way to BullMQ, and the pool when it must wait there for room. */
export const dispatchedColumns = `id, run, queue, name, state, organization_id, pool, greatest(0, extract(epoch from run_at - clock_timestamp()) * 1000)::float8 as delay_ms`;

export type Inserted = DispatchedRow & { state: string };

/** Sorts rows just written into what goes to BullMQ now and which pools to fill. */
export function dispatchedOf(rows: Inserted[]): Dispatched {
  const waiting = rows.filter((row) => row.state === 'waiting' && row.pool !== null);
  return { rows: rows.filter((row) => row.state === 'queued'), pools: [...new Set(waiting.map((row) => row.pool!))] };
}

/**
 * The state a new row gets, given the columns of `n`; `place` is its place among the new ones of its lane. Not `exists`: for the hundred
 * rows the planner expects of a JSON list it would read the lanes of the whole ledger into a hash first.
 */
const stateOfNew = `case when n.lane is not null and (n.place > 1 or (select 1 from jobs l where l.lane = n.lane and l.state in ('blocked', 'waiting', 'queued') limit 1) is not null) then 'blocked'
  when n.pool is not null then 'waiting' else 'queued' end`;

/** Rule 1, as part of the ledger's statement; $1 are the jobs as JSON. The caller holds the locks of the lanes named. */
export const acceptPart = `
  new_jobs as (
    select r.*, nextval('jobs_seq') as seq, row_number() over (partition by r.lane order by r.ord) as place
      from (select * from jsonb_to_recordset($1::jsonb) as x(ord int, id uuid, organization_id uuid, name text, queue text, payload jsonb, subject_type text, subject_id uuid,
             lane text, pool text, visible boolean, delay_ms float8) order by ord) r),
  accepted as (
    insert into jobs (id, organization_id, name, queue, payload, subject_type, subject_id, lane, pool, visible, seq, state, run_at, check_at)
    select id, organization_id, name, queue, payload, subject_type, subject_id, lane, pool, visible, seq, ${stateOfNew},
           clock_timestamp() + n.delay_ms * interval '1 ms', clock_timestamp() + n.delay_ms * interval '1 ms' + ${firstCheck}
      from new_jobs n order by n.ord
    returning ${dispatchedColumns})`;

export const acceptedState = stateOfNew;
