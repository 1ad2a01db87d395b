import type { RowOf } from '../../platform/database/tables.ts';
import { dispatchedColumns, dispatchedOf, firstCheck, type Inserted } from '../../platform/ledger/accept.ts';
import type { Job } from '../../platform/ledger/jobs.entity.ts';
import { poolOf } from '../../platform/ledger/pools.ts';
import { stateIs } from '../../platform/ledger/states.ts';
import type { OwnTx } from '../../platform/ledger/tx.ts';

type LiveJob = RowOf<typeof Job, 'id' | 'subject_id' | 'lane'> & { pool: string; has_room: boolean; is_free: boolean };

/**
 * SQL: a set, locked. A run in progress has room, and its time has come: its outcome must still be written. What has no room yet finds its
 * row gone.
 */
const holdJobs = `
  select j.id, j.subject_id, j.lane, j.pool, j.slot_at is not null as has_room,
         j.state <> 'queued' or j.slot_at is null or j.run_at > clock_timestamp() + interval '1 s' as is_free
    from jobs j
   where j.organization_id = $1 and j.subject_id = any($2::uuid[]) and j.name = 'webhooks.deliver'
     and ${stateIs('j.state', 'blocked', 'waiting', 'queued')}
   order by j.id
     for update`;

/** SQL: sets of two tables. A test is an operation, which says that it was called off. */
const dropJobs = `
  with dropped as (
    delete from jobs
     where organization_id = $1 and id = any($2::uuid[]) and not visible),
  shown as (
    update jobs
       set state = 'done', run = run + 1, error = $4, finished_at = clock_timestamp(), slot_at = null
     where organization_id = $1 and id = any($2::uuid[]) and visible),
  over as (
    update webhook_deliveries
       set state = 'cancelled', next_attempt_at = null, finished_at = clock_timestamp()
     where organization_id = $1 and id = any($3::uuid[]) and state = 'pending'
    returning id)
  select count(*)::int as done
    from over`;

/** SQL: after the deletion, or it would find what is deleted. */
const releaseLanes = `
  update jobs
     set state = case when pool is null then 'queued' else 'waiting' end,
         run_at = greatest(run_at, clock_timestamp()),
         check_at = greatest(run_at, clock_timestamp()) + ${firstCheck}
   where organization_id = $1
     and id = any(array(
           select n.id
             from unnest($2::text[]) as l(lane),
                  lateral (
                    select b.id
                      from jobs b
                     where b.organization_id = $1 and b.lane = l.lane and b.state = 'blocked'
                     order by b.seq
                     limit 1) n
            where not exists (
              select 1 from jobs h
               where h.organization_id = $1 and h.lane = l.lane and h.state in ('waiting', 'queued'))))
  returning ${dispatchedColumns}`;

/**
 * Of deliveries: the pending ones that no try is in progress of are `cancelled`, and their lanes go on. `left` are the others. Throws
 * LocksOutdated when the lock of a lane is missing.
 */
export async function cancelDeliveries(tx: OwnTx, ids: string[]): Promise<{ done: number; left: string[] }> {
  if (ids.length === 0) return { done: 0, left: [] };
  const jobs = await tx.sql<LiveJob>(holdJobs, [ids]);
  const left = new Set(jobs.filter((job) => !job.is_free).map((job) => job.subject_id));
  const free = jobs.filter((job) => job.is_free);
  for (const { lane } of free) if (lane) tx.assertLocked(lane);
  const error = JSON.stringify({ code: 'cancelled', message: 'The delivery was cancelled' });
  const [dropped] = await tx.sql<{ done: number }>(dropJobs, [
    free.map(({ id }) => id),
    ids.filter((id) => !left.has(id)),
    error,
  ]);
  // A turn of a rate that is still to come has room.
  const pools = [...new Set(free.filter((job) => job.has_room).map((job) => job.pool))];
  tx.dispatch({ pools: pools.map((pool) => poolOf(tx.organizationId, pool)) });
  const lanes = [...new Set(free.flatMap(({ lane }) => lane ?? []))];
  if (lanes.length > 0) tx.dispatch(dispatchedOf(await tx.sql<Inserted>(releaseLanes, [lanes])));
  return { done: dropped!.done, left: [...left].sort() };
}
