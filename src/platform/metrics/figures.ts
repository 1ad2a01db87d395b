import { liveJobs as liveRows } from '../ledger/states.ts';
import { stuckPools } from '../ledger/stuck-pools.ts';

/** `held` is no state of the ledger: rows in any state whose pool is on hold. */
export const liveStates = ['blocked', 'waiting', 'queued', 'held'] as const;
export const endedStates = ['failed', 'done'] as const;

/** SQL (all of this file): counts by partial indexes. Overdue from `run_at`: from `created_at` a retry begins overdue. */
export const liveJobs = `
  select j.queue,
         case when p.held_until > statement_timestamp() then 'held' else j.state end as state,
         j.attempts > 0 as is_later,
         count(*)::int as jobs,
         greatest(0, extract(epoch from statement_timestamp() - min(j.run_at)))::float8 as overdue
    from ${liveRows} j
    left join pools p on p.organization_id = j.organization_id and p.id = j.pool
   group by 1, 2, 3`;

export const endedJobs = `
  select queue, 'failed' as state, count(*)::int as jobs
    from jobs
   where state = 'failed'
   group by queue
  union all
  select queue, 'done' as state, count(*)::int as jobs
    from jobs
   where state = 'done'
   group by queue`;

export const unappliedWebhooks = `
  select count(*)::int as bodies,
         coalesce(extract(epoch from statement_timestamp() - min(received_at)), 0)::float8 as oldest
    from provider_webhooks
   where state = 'received'`;

export const brokenWebhooks = `
  select count(*)::int as bodies
    from provider_webhooks
   where state = 'broken'`;

export const stuckPoolCount = `select count(*)::int as pools from (${stuckPools}) s`;

/** A disabled endpoint does not count: its spell is over. */
export const failingEndpoints = `
  select count(*)::int as endpoints,
         coalesce(extract(epoch from statement_timestamp() - min(failing_since)), 0)::float8 as longest
    from webhook_endpoints
   where failing_since is not null`;

/** 0: begun and never completed. */
export const purgesDone = `
  select table_name, coalesce(extract(epoch from finished_at), 0)::float8 as at
    from purges`;
