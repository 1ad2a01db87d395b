import { stuckPools } from '../ledger/stuck-pools.ts';

/** `held` is our own: rows whatever their state whose pool is on hold, a channel's or an endpoint's, for somebody to let go. */
export const liveStates = ['blocked', 'waiting', 'queued', 'held'] as const;
export const endedStates = ['failed', 'done'] as const;

/**
 * A row is overdue from its `run_at`, in every state: that is when it was accepted or its delay ended, and it is moved on by a later
 * try and by a retry by hand. By `created_at` a job retried after a week would be overdue by a week.
 */
export const liveJobs = `
  select j.queue, case when p.held_until > statement_timestamp() then 'held' else j.state end as state, count(*)::int as jobs,
         greatest(0, extract(epoch from statement_timestamp() - min(j.run_at)))::float8 as overdue
    from jobs j left join pools p on p.id = j.pool where j.state in ('blocked', 'waiting', 'queued') group by 1, 2`;

export const endedJobs = endedStates
  .map((state) => `select queue, '${state}' as state, count(*)::int as jobs from jobs where state = '${state}' group by queue`)
  .join(' union all ');

export const unappliedWebhooks = `
  select count(*)::int as bodies, coalesce(extract(epoch from statement_timestamp() - min(received_at)), 0)::float8 as oldest
    from provider_webhooks where state = 'received'`;

export const brokenWebhooks = `select count(*)::int as bodies from provider_webhooks where state = 'broken'`;

export const stuckPoolCount = `select count(*)::int as pools from (${stuckPools}) s`;

/** 0: begun, and never yet done. */
export const purgesDone = 'select table_name, coalesce(extract(epoch from finished_at), 0)::float8 as at from purges';
