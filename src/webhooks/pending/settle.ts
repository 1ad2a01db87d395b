import type { Own } from '../../platform/database/own.ts';
import { drainPool, endpointPool } from '../../platform/ledger/pools.ts';
import { stateIs } from '../../platform/ledger/states.ts';
import type { TenantTransact } from '../../platform/ledger/tenant.ts';
import type { OwnTx, RunRef } from '../../platform/ledger/tx.ts';
import { deliverWebhookJob } from '../jobs.ts';
import { cancelDeliveries } from './cancel.ts';

/** Where a run begins and the next goes on; `under_way` counts those of this pass that must be looked at again. */
export type Position = { deliveries: number; under_way: number; after: string };
export const beginning = '00000000-0000-0000-0000-000000000000';

export const batchSize = 200;

/** SQL: the next pending deliveries of an endpoint, and which have a job that is not in pool $5 yet; all of them without $5. */
const nextPending = `
  select p.id, j.lane, coalesce(j.is_wanted, $5::text is null) as is_wanted
    from (select d.organization_id, d.id
            from webhook_deliveries d
           where d.organization_id = $1 and d.endpoint_id = $2 and d.state = 'pending' and d.id > $3 and d.id <= $4
           order by d.id
           limit ${batchSize}) p
    left join lateral (
      select o.lane, o.pool is distinct from $5::text as is_wanted
        from jobs o
       where o.organization_id = p.organization_id and o.subject_id = p.id and o.name = '${deliverWebhookJob.name}'
         and ${stateIs('o.state', 'blocked', 'waiting', 'queued')}
       limit 1) j on true
   order by p.id`;

type Pending = { id: string; lane: string | null; is_wanted: boolean };

/** A request under way is left alone: its attempt ends as it ends, and is logged. So is a job that somebody else has locked. */
const idleJobs = `
  idle as materialized (
    select j.id
      from jobs j
     where j.organization_id = $1 and j.subject_id = any($2::uuid[]) and j.name = '${deliverWebhookJob.name}'
       and ${stateIs('j.state', 'blocked', 'waiting', 'queued')}
       and not (j.state = 'queued' and j.slot_at is not null)
       for update skip locked)`;

/** SQL: a set. $3 is the pool they go to. */
const moveStatement = `
  with ${idleJobs}
  update jobs
     set pool = $3
   where organization_id = $1 and id = any(array(select id from idle)) and pool <> $3
  returning subject_id`;

/**
 * SQL: a set of two tables. A job that waits for a later attempt gets a new run and waits for room, as all that were held do: the run in the
 * queue is over at its time.
 */
const hastenStatement = `
  with ${idleJobs},
  hastened as (
    update jobs
       set pool = $3,
           state = case when state = 'queued' then 'waiting' else state end,
           run = run + case when state = 'queued' then 1 else 0 end,
           run_at = least(run_at, clock_timestamp())
     where organization_id = $1 and id = any(array(select id from idle))
    returning subject_id)
  update webhook_deliveries
     set next_attempt_at = least(next_attempt_at, clock_timestamp())
   where organization_id = $1 and id = any(array(select subject_id from hastened)) and state = 'pending'
  returning id`;

/** SQL: only the run that is the job's. */
const progressStatement = `
  update jobs
     set progress = $4
   where organization_id = $1 and id = $2 and run = $3 and ${stateIs('state', 'queued')}
  returning id`;

/** Changes the jobs of these deliveries that are not under way; returns how many. The locks of their lanes are held. */
type Change = (tx: OwnTx, endpointId: string, ids: string[]) => Promise<number>;

const cancel: Change = async (tx, _endpointId, ids) => (await cancelDeliveries(tx, ids)).done;

const moveBy =
  (statement: string, poolOf: (endpointId: string) => string): Change =>
  async (tx, endpointId, ids) => {
    const pool = poolOf(endpointId);
    const rows = await tx.sql(statement, [ids, pool]);
    tx.dispatch({ pools: [{ organization_id: tx.organizationId, id: pool }] });
    return rows.length;
  };

/**
 * `leaves`: the pool whose jobs need no change. `repeats`: what is under way is looked at again once it has ended. `endsAtEnable`: what it does
 * would only be undone.
 */
export type Settling = { change: Change; leaves?: (endpointId: string) => string; repeats: boolean; endsAtEnable?: boolean };

export const cancelling: Settling = { change: cancel, repeats: true };
export const draining: Settling = {
  change: moveBy(moveStatement, drainPool),
  leaves: drainPool,
  repeats: true,
  endsAtEnable: true,
};
export const resuming: Settling = { change: moveBy(moveStatement, endpointPool), leaves: endpointPool, repeats: true };
export const hastening: Settling = { change: moveBy(hastenStatement, endpointPool), repeats: false };

/** One step, in a transaction of its own. Undefined: the run is no longer the job's. `isLast`: no more in this pass. */
export async function settleBatch(
  transact: TenantTransact,
  own: Own,
  { endpointId, upTo }: { endpointId: string; upTo: string },
  { change, leaves }: Settling,
  at: Position,
  { id, run }: RunRef,
): Promise<(Position & { isLast: boolean }) | undefined> {
  const look = () => own.sql<Pending>(nextPending, [endpointId, at.after, upTo, leaves?.(endpointId) ?? null]);
  const locks = (found: Pending[]) => [...new Set(found.flatMap(({ lane, is_wanted }) => (is_wanted && lane) || []))];
  return transact({ look, locks }, async ({ own: tx }, found) => {
    const wanted = found.filter(({ is_wanted }) => is_wanted).map((one) => one.id);
    const changed = wanted.length > 0 ? await change(tx, endpointId, wanted) : 0;
    const position = {
      deliveries: at.deliveries + changed,
      under_way: at.under_way + wanted.length - changed,
      after: found.at(-1)?.id ?? at.after,
    };
    const mine = await tx.sql(progressStatement, [id, run, JSON.stringify(position)]);
    return mine.length > 0 ? { ...position, isLast: found.length < batchSize } : undefined;
  });
}
