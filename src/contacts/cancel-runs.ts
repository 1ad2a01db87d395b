import type { RowOf } from '../platform/database/tables.ts';
import type { Job } from '../platform/ledger/jobs.entity.ts';
import { poolOf } from '../platform/ledger/pools.ts';
import { stateIs } from '../platform/ledger/states.ts';
import type { OwnTx } from '../platform/ledger/tx.ts';

const isLive = `state in ('queued', 'running')`;

/**
 * SQL: tables of automation, as a set. As `cancelRun` of src/automation/runs/: a step that waits is passed over; of one that calls outside nobody
 * knows. A worker at such a run finds it in another state than it began with, and writes nothing.
 */
const cancelStatement = `
  with cancelled as (
    update automation_runs
       set state = 'cancelled', reason = $3, waiting_for = null, wakes_at = null, job_id = null,
           ended_at = clock_timestamp(), updated_at = clock_timestamp()
     where organization_id = $1
       and id = any($2::uuid[])
       and ${isLive}
    returning id),
  unawaited as (
    delete from automation_waits
     where organization_id = $1
       and run_id = any(array(select id from cancelled))),
  ended as (
    update automation_steps
       set state = case state when 'calling' then 'failed' else 'skipped' end,
           error = jsonb_build_object(
             'code', case state when 'calling' then 'outcome_unknown' else 'cancelled' end,
             'message', 'The run was cancelled'),
           ended_at = clock_timestamp()
     where organization_id = $1
       and run_id = any(array(select id from cancelled))
       and state in ('calling', 'waiting'))
  select id
    from cancelled`;

/** SQL: their jobs, a set without lanes; a call under way has a pool of its host. */
const endJobs = `
  delete from jobs
   where organization_id = $1
     and subject_id = any($2::uuid[])
     and name = 'automation.run'
     and ${stateIs('state', 'queued', 'waiting')}
  returning pool`;

/** Live runs of rules, with their jobs. Others stay as they are. Returns how many it cancelled. */
export async function cancelRuns(tx: OwnTx, ids: string[], reason: string): Promise<number> {
  if (ids.length === 0) return 0;
  const cancelled = await tx.sql<{ id: string }>(cancelStatement, [ids, reason]);
  const ended = await tx.sql<RowOf<typeof Job, 'pool'>>(endJobs, [cancelled.map(({ id }) => id)]);
  const pools = new Set(ended.flatMap(({ pool }) => pool ?? []));
  tx.dispatch({ pools: [...pools].map((pool) => poolOf(tx.organizationId, pool)) });
  return cancelled.length;
}
