/**
 * SQL: what only a job would end, and has none any more, ends: `jobs check` finds what the product left alone, and not this. Of whole
 * organizations, $1.
 */
export const endStatements = [
  `update automation_runs
      set state = 'cancelled', reason = 'asked', job_id = null, waiting_for = null, wakes_at = null, ended_at = clock_timestamp()
    where organization_id = any($1) and state in ('queued', 'running')`,
  `with ended as (
     update campaigns
        set status = 'cancelled', phase = null, job_id = null, withdrawing = false, ended_at = coalesce(ended_at, clock_timestamp())
      where organization_id = any($1) and (status in ('scheduled', 'running', 'paused') or withdrawing)
     returning organization_id, id)
   update campaign_recipients r
      set status = 'skipped', reason = 'cancelled'
     from ended e
    where r.organization_id = e.organization_id and r.campaign_id = e.id and r.status in ('pending', 'queued')`,
  `update payment_sessions
      set status = 'expired'
    where organization_id = any($1) and status in ('creating', 'open', 'unknown')`,
  `update orders
      set reserved_until = null
    where organization_id = any($1) and status = 'pending' and reserved_until is not null`,
  `update connection_webhooks
      set status = 'applied', applied_at = clock_timestamp()
    where organization_id = any($1) and status = 'received'`,
  `update crm_imports
      set state = 'failed', finished_at = clock_timestamp()
    where organization_id = any($1) and state in ('uploading', 'queued', 'running')`,
];
