import { behindOthers, dispatchedColumns, dispatchedOf, firstCheck, type Inserted } from '../../platform/ledger/accept.ts';
import { isParked } from '../../platform/ledger/park.ts';
import { stateIs } from '../../platform/ledger/states.ts';
import type { OwnTx } from '../../platform/ledger/tx.ts';
import type { AskedTrigger } from './trigger.ts';

/** Deliveries that are held by this transaction; one with a lane under the lock of its lane. */
type Wanted = { id: string; lane: string | null }[];
/** `isBulk`: behind all that waits for the endpoint or comes while it waits, so that first tries go first. */
type How = { trigger: AskedTrigger; isBulk: boolean };

/**
 * SQL: sets that follow from one another. One live job a delivery: its failed job begins a new run, as in a retry by hand; without one it
 * gets a new job. A row waits for the room of its endpoint's pool, whatever its state was. The looks at a lane fit the indexes of lanes alone:
 * by that of the rows that wait, each would read all that are held.
 */
const newTriesStatement = `
  with asked as (
    select x.id, x.lane, nextval('jobs_seq') + case when $5 then ${behindOthers} else 0 end as seq,
           row_number() over (partition by x.lane order by x.ord) as place
      from (select * from unnest($2::uuid[], $3::text[]) with ordinality as x(id, lane, ord) order by ord) x),
  placed as materialized (
    select a.*,
           case when a.lane is not null
                     and (a.place > 1
                          or exists (
                            select 1 from jobs h
                             where h.organization_id = $1 and h.lane = a.lane and h.state in ('waiting', 'queued'))
                          or exists (
                            select 1 from jobs b
                             where b.organization_id = $1 and b.lane = a.lane and b.state = 'blocked')) then 'blocked'
                else 'waiting' end as state
      from asked a
     where not exists (
       select 1 from jobs j
        where j.organization_id = $1 and j.subject_id = a.id and j.name = 'webhooks.deliver'
          and ${stateIs('j.state', 'blocked', 'waiting', 'queued')})),
  tried as (
    update webhook_deliveries d
       set state = 'pending', next_attempt_at = clock_timestamp(), finished_at = null, asked_by = $4, asked_after = attempts
      from placed p
     where d.organization_id = $1 and d.id = p.id
    returning d.id, d.endpoint_id),
  revived as (
    update jobs j
       set run = j.run + 1,
           attempts = 0,
           stalls = 0,
           seq = p.seq,
           lane = p.lane,
           pool = 'endpoint:' || t.endpoint_id,
           state = p.state,
           queue = 'webhook-retries',
           run_at = clock_timestamp(),
           check_at = clock_timestamp() + ${firstCheck},
           slot_at = null,
           finished_at = null,
           error = null
      from placed p
      join tried t on t.id = p.id
     where j.organization_id = $1 and j.subject_id = p.id and j.name = 'webhooks.deliver' and ${stateIs('j.state', 'failed')}
    returning j.subject_id, j.id, j.run, j.queue, j.name, j.state, j.organization_id, j.pool, j.class, false as is_parked, 0::float8 as delay_ms),
  made as (
    insert into jobs (id, organization_id, name, queue, payload, subject_type, subject_id,
                      lane, pool, visible, seq, state, run_at, check_at)
    select uuidv7(), $1, 'webhooks.deliver', 'webhook-retries', jsonb_build_object('delivery_id', p.id),
           'webhook_delivery', p.id, p.lane, 'endpoint:' || t.endpoint_id, false, p.seq, p.state,
           clock_timestamp(), clock_timestamp() + ${firstCheck}
      from placed p
      join tried t on t.id = p.id
     where not exists (select 1 from revived r where r.subject_id = p.id)
     order by p.seq
    returning subject_id, ${dispatchedColumns})
  select * from revived
   union all
  select * from made`;

/** New tries of deliveries that have no live job. Returns how many. */
export async function tryAgain(tx: OwnTx, wanted: Wanted, { trigger, isBulk }: How): Promise<number> {
  if (wanted.length === 0) return 0;
  const rows = await tx.sql<Inserted>(newTriesStatement, [
    wanted.map(({ id }) => id),
    wanted.map(({ lane }) => lane),
    trigger,
    isBulk,
  ]);
  tx.dispatch(dispatchedOf(rows));
  return rows.length;
}

/**
 * SQL: sets of two tables. A later try that is planned, and not in progress: it has no room. One that is parked is planned after its time,
 * too: the line of its organization may be long. The new run makes what the queue knows of it stale. Attempts count on.
 */
const tryNowStatement = `
  with brought as (
    update jobs j
       set run = j.run + 1,
           stalls = 0,
           seq = nextval('jobs_seq') + case when $4 then ${behindOthers} else 0 end,
           state = 'waiting',
           run_at = clock_timestamp(),
           check_at = clock_timestamp() + ${firstCheck}
     where j.organization_id = $1 and j.subject_id = any($2::uuid[]) and j.name = 'webhooks.deliver'
       and ${stateIs('j.state', 'queued')} and j.slot_at is null
       and (j.run_at > clock_timestamp() + interval '1 s' or ${isParked})
    returning j.subject_id, j.id, j.run, j.queue, j.name, j.state, j.organization_id, j.pool, j.class, false as is_parked, 0::float8 as delay_ms),
  shown as (
    update webhook_deliveries d
       set next_attempt_at = clock_timestamp(), asked_by = $3, asked_after = attempts
      from brought b
     where d.organization_id = $1 and d.id = b.subject_id)
  select * from brought`;

/** Of pending deliveries: what waits for a later time is tried now, the rest has its try to come. Returns how many. */
export async function tryNow(tx: OwnTx, ids: string[], { trigger, isBulk }: How): Promise<number> {
  if (ids.length === 0) return 0;
  const rows = await tx.sql<Inserted>(tryNowStatement, [ids, trigger, isBulk]);
  tx.dispatch(dispatchedOf(rows));
  return rows.length;
}
