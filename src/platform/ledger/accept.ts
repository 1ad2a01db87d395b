import type { RowOf } from '../database/tables.ts';
import type { Job, Pool } from './jobs.entity.ts';
import { checkIn, isParked } from './park.ts';
import type { PartText } from './part.ts';

/** `delay_ms` is by the database's clock; `read_at` (ms) keeps a paced row's time in the plan on its way to the queue. */
export type DispatchedRow = RowOf<typeof Job, 'id' | 'run' | 'queue' | 'name' | 'organization_id' | 'pool'> & {
  delay_ms: number;
  read_at?: number;
};

export type PoolRef = RowOf<typeof Pool, 'organization_id' | 'id'>;
export type JoinedPool = PoolRef & RowOf<typeof Job, 'class'>;
/** `pools` may have room that was just freed; in `joined` a new row waits behind others, mostly in a full pool. */
export type Dispatched = { rows: DispatchedRow[]; pools: PoolRef[]; joined: JoinedPool[] };
export const nothingDispatched = (): Dispatched => ({ rows: [], pools: [], joined: [] });

/** A pool's id is unique over all organizations. */
export const distinctPools = (pools: PoolRef[]): PoolRef[] => [...new Map(pools.map((pool) => [pool.id, pool])).values()];
export const distinctJoined = (pools: JoinedPool[]): JoinedPool[] =>
  pools.length < 2 ? pools : [0, 1].flatMap((kind) => distinctPools(pools.filter((pool) => pool.class === kind)) as JoinedPool[]);

/** SQL: added to the place in line of work that must let all other of its pool and lane pass, however new. */
export const behindOthers = '(1::bigint << 60)';

export type NewJob = RowOf<
  typeof Job,
  'id' | 'organization_id' | 'name' | 'queue' | 'payload' | 'subject_type' | 'subject_id' | 'lane' | 'pool' | 'class' | 'visible'
> & { delay_ms: number };

export const firstCheck = `interval '5 s'`;

export const dispatchedColumns = `
  id, run, queue, name, state, organization_id, pool, class, ${isParked} as is_parked,
  greatest(0, extract(epoch from run_at - clock_timestamp()) * 1000)::float8 as delay_ms`;

export type Inserted = DispatchedRow & RowOf<typeof Job, 'state' | 'class'> & { is_parked: boolean; is_new?: boolean };

const poolOf = ({ organization_id, pool }: Inserted): PoolRef => ({ organization_id, id: pool! });

export function dispatchedOf(rows: Inserted[]): Dispatched {
  const waiting = (isNew: boolean) =>
    rows.filter(({ state, pool, is_new = false }) => state === 'waiting' && pool && is_new === isNew);
  return {
    rows: rows.filter((row) => row.state === 'queued' && !row.is_parked),
    pools: distinctPools(waiting(false).map(poolOf)),
    joined: distinctJoined(waiting(true).map((row) => ({ ...poolOf(row), class: row.class }))),
  };
}

/** Rows of a busier pool share a fill: a look at all that have room would take longer than it saves. */
const maxBornWithRoom = 100;

/**
 * The pool of new row `n` has a place for it, no conversation waits for one but what lets others pass, and its pace is not ahead. Nothing is
 * locked: transactions that commit together may exceed the width, which the claim of a pool that counts its runs corrects (`isWithinWidth`).
 * `ord` is the row's place among those of its transaction, from 0. A pool of all organizations (`sharedPool`) is not found here: its rows
 * wait for a fill. For a row that is released, the function `state_of_released` has the same rule.
 */
const hasRoom = `
  (select 1
     from jobs w
    where w.organization_id = n.organization_id and w.pool = n.pool and w.state = 'waiting' and w.class = 0
      and w.seq < ${behindOthers}
    limit 1) is null
  and (select coalesce(p.held_until, '-infinity') <= clock_timestamp()
              and (p.rate is null
                   or (coalesce(p.tat, '-infinity') <= clock_timestamp()
                       and coalesce(p.plan_at, '-infinity') <= clock_timestamp()))
              and n.ord + (select count(*)
                             from (select 1
                                     from jobs q
                                    where q.organization_id = n.organization_id and q.pool = n.pool
                                      and q.state = 'queued' and q.slot_at is not null
                                    limit ${maxBornWithRoom}) c) < least(p.width, ${maxBornWithRoom})
         from pools p
        where p.organization_id = n.organization_id and p.id = n.pool)`;

/**
 * Two looks, each with an index of its own. Not `exists`: the planner expects a hundred rows of a JSON list and would hash the lanes of
 * the whole ledger.
 * `offset 0`: looked up once, although two columns follow from it.
 */
const stateWith = (more: string) => `
  lateral (
    select case when n.lane is not null
                     and (n.place > 1
                          or (select 1 from jobs l
                               where l.organization_id = n.organization_id and l.lane = n.lane
                                 and l.state in ('waiting', 'queued')
                               limit 1) is not null
                          or (select 1 from jobs l
                               where l.organization_id = n.organization_id and l.lane = n.lane
                                 and l.state = 'blocked'
                               limit 1) is not null) then 'blocked'
                when n.pool is null then 'queued'
                when n.delay_ms = 0${more} and ${hasRoom} then 'queued'
                else 'waiting' end as state
    offset 0) s`;

/** Of rows that are all conversation. */
export const stateOfNew = stateWith('');
/** Bulk work of a pool waits for a fill, which knows how much of the pool it may have. */
const stateByClass = stateWith(' and n.class = 0');

/** A row that has its pool's room from its birth. */
export const slotOfNew = `case when s.state = 'queued' and n.pool is not null then clock_timestamp() end`;

/** SQL: rule 1, one set, each row with the state its lane gives it (decisions/0008). The caller holds the lanes' locks. */
export const acceptPart =
  (condition: string): PartText =>
  (jobs) =>
    `
  new_jobs as (
    select r.*, nextval('jobs_seq') as seq, row_number() over (partition by r.lane order by r.ord) as place
      from (select * from jsonb_to_recordset(${jobs}::jsonb)
              as x(ord int, id uuid, organization_id uuid, name text, queue text, payload jsonb,
                   subject_type text, subject_id uuid, lane text, pool text, class smallint, visible boolean, delay_ms float8)
             order by ord) r${condition}),
  accepted as (
    insert into jobs (id, organization_id, name, queue, payload, subject_type, subject_id,
                      lane, pool, class, visible, seq, state, slot_at, run_at, check_at)
    select id, organization_id, name, queue, payload, subject_type, subject_id,
           lane, pool, class, visible, seq, s.state, ${slotOfNew},
           clock_timestamp() + n.delay_ms * interval '1 ms',
           ${checkIn(`n.delay_ms * interval '1 ms'`, firstCheck)}
      from new_jobs n, ${stateByClass}
     order by n.ord
    returning ${dispatchedColumns})`;

/** SQL: the same for one row, with a third of the plan's nodes: starting them is what a small statement takes (bench: post, inbound). */
export const acceptOnePart =
  (condition: string): PartText =>
  (id, organization, name, queue, payload, subjectType, subjectId, lane, pool, kind, visible, delayMs) =>
    `
  accepted as (
    insert into jobs (id, organization_id, name, queue, payload, subject_type, subject_id,
                      lane, pool, class, visible, seq, state, slot_at, run_at, check_at)
    select n.id, n.organization_id, n.name, n.queue, n.payload, n.subject_type, n.subject_id,
           n.lane, n.pool, n.class, n.visible, nextval('jobs_seq'), s.state, ${slotOfNew},
           clock_timestamp() + n.delay_ms * interval '1 ms',
           ${checkIn(`n.delay_ms * interval '1 ms'`, firstCheck)}
      from (select ${id}::uuid as id, ${organization}::uuid as organization_id, ${name}::text as name, ${queue}::text as queue,
                   ${payload}::jsonb as payload, ${subjectType}::text as subject_type, ${subjectId}::uuid as subject_id,
                   ${lane}::text as lane, ${pool}::text as pool, ${kind}::smallint as class, ${visible}::boolean as visible,
                   ${delayMs}::float8 as delay_ms, 0 as ord, 1 as place) n, ${stateByClass}${condition}
    returning ${dispatchedColumns})`;

export const paramsOfOne = (job: NewJob) => [
  ...[job.id, job.organization_id, job.name, job.queue, JSON.stringify(job.payload), job.subject_type, job.subject_id],
  ...[job.lane, job.pool, job.class, job.visible, job.delay_ms],
];
