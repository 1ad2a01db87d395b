import type { RowOf } from '../database/tables.ts';
import type { Job } from './jobs.entity.ts';

/** `delay_ms` is by the database's clock; `read_at` (ms) keeps a paced row's time in the plan on its way to the queue. */
export type DispatchedRow = RowOf<typeof Job, 'id' | 'run' | 'queue' | 'name' | 'organization_id' | 'pool'> & {
  delay_ms: number;
  read_at?: number;
};

export type PoolRef = { organization_id: string; id: string };
export type Dispatched = { rows: DispatchedRow[]; pools: PoolRef[] };

/** A pool's id is unique over all organizations. */
export const distinctPools = (pools: PoolRef[]): PoolRef[] => [...new Map(pools.map((pool) => [pool.id, pool])).values()];

export type NewJob = RowOf<
  typeof Job,
  'id' | 'organization_id' | 'name' | 'queue' | 'payload' | 'subject_type' | 'subject_id' | 'lane' | 'pool' | 'visible'
> & { delay_ms: number };

export const firstCheck = `interval '5 s'`;

export const dispatchedColumns = `
  id, run, queue, name, state, organization_id, pool,
  greatest(0, extract(epoch from run_at - clock_timestamp()) * 1000)::float8 as delay_ms`;

export type Inserted = DispatchedRow & RowOf<typeof Job, 'state'>;

const poolOf = ({ organization_id, pool }: Inserted): PoolRef => ({ organization_id, id: pool! });

export function dispatchedOf(rows: Inserted[]): Dispatched {
  const waiting = rows.filter((row) => row.state === 'waiting' && row.pool !== null);
  return { rows: rows.filter((row) => row.state === 'queued'), pools: distinctPools(waiting.map(poolOf)) };
}

/** Two looks, each with an index of its own. Not `exists`: the planner expects a hundred rows of a JSON list and would hash the lanes of the whole ledger. */
export const stateOfNew = `
  case when n.lane is not null
            and (n.place > 1
                 or (select 1 from jobs l
                      where l.organization_id = n.organization_id and l.lane = n.lane and l.state in ('waiting', 'queued')
                      limit 1) is not null
                 or (select 1 from jobs l
                      where l.organization_id = n.organization_id and l.lane = n.lane and l.state = 'blocked'
                      limit 1) is not null) then 'blocked'
       when n.pool is not null then 'waiting'
       else 'queued' end`;

/** SQL: rule 1, one set, each row with the state its lane gives it (decisions/0008). The caller holds the lanes' locks. */
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
