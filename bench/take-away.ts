import type pg from 'pg';

/**
 * Deletes jobs and ends their subjects, as if workers had done the work: `jobs check` looks for subjects without an end that have no job, and
 * after this it finds only those that the product left. `condition` is about `jobs`. Returns how many.
 */
export async function takeAway(sql: pg.Pool | pg.PoolClient, condition: string, params: unknown[] = []): Promise<number> {
  const { rows } = await sql.query<{ count: number }>(
    `with gone as (
       delete from jobs
        where ${condition}
       returning organization_id, subject_id),
     messages as (
       update messages m
          set status = 'sent', provider_message_id = coalesce(m.provider_message_id, 'wamid.' || m.id), updated_at = now()
         from gone g
        where m.organization_id = g.organization_id and m.id = g.subject_id and m.status in ('queued', 'sending')),
     deliveries as (
       update webhook_deliveries d
          set state = 'failed', finished_at = now()
         from gone g
        where d.organization_id = g.organization_id and d.id = g.subject_id and d.state = 'pending'),
     bodies as (
       update provider_webhooks w
          set state = 'applied', applied_at = now()
         from gone g
        where w.organization_id = g.organization_id and w.id = g.subject_id and w.state = 'received'),
     statuses as (
       update unmatched_statuses s
          set state = 'dropped'
         from gone g
        where s.organization_id = g.organization_id and s.id = g.subject_id and s.state = 'waiting'),
     flows as (
       update flows f
          set doing = null
         from gone g
        where f.organization_id = g.organization_id and f.id = g.subject_id and f.doing is not null),
     imports as (
       update contact_imports i
          set state = 'failed', finished_at = now()
         from gone g
        where i.organization_id = g.organization_id and i.id = g.subject_id and i.state in ('queued', 'running')),
     paid as (
       update connection_webhooks w
          set status = 'applied', applied_at = now()
         from gone g
        where w.organization_id = g.organization_id and w.id = g.subject_id and w.status = 'received'),
     reserved as (
       update orders o
          set reserved_until = null
         from gone g
        where o.organization_id = g.organization_id and o.id = g.subject_id and o.status = 'pending'),
     calendars as (
       update booking_calendars c
          set status = 'skipped', synced = c.wanted, pending_since = null
         from gone g
         join bookings b on b.organization_id = g.organization_id and b.order_id = g.subject_id
        where c.organization_id = b.organization_id and c.booking_id = b.id and c.status = 'pending'),
     shipped as (
       update shipments s
          set status = 'failed'
         from gone g
        where s.organization_id = g.organization_id and s.order_id = g.subject_id and s.status = 'creating'),
     exports as (
       update contact_exports e
          set state = 'failed', finished_at = now()
         from gone g
        where e.organization_id = g.organization_id and e.id = g.subject_id and e.state in ('queued', 'running'))
     select count(*)::int as count from gone`,
    params,
  );
  return rows[0]!.count;
}

export const isLive = `state in ('blocked', 'waiting', 'queued')`;
