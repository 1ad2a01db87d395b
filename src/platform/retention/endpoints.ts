import type { Em } from '../database/database.ts';
import { query } from '../database/query.ts';
import { type Batch, limitOfAge } from './purge.ts';

/** SQL: sets that skip locked rows until next time, as `deleteOldest` (purge.ts). The secret before a rotation, once its overlap is over. */
const eraseSecrets = `
  with erased as (
    update webhook_endpoints
       set previous_secret = null, previous_secret_until = null
     where ctid = any(array(
       select ctid from webhook_endpoints
        where previous_secret_until < ${limitOfAge}
        order by previous_secret_until
        limit $2
        for update skip locked))
    returning 1)
  select count(*)::int as count from erased`;

export async function oldSecretsBatch(em: Em, days: number, limit: number): Promise<Batch> {
  const [row] = await query<{ count: number }>(em, eraseSecrets, [days, limit]);
  return { deleted: {}, isLast: row!.count < limit };
}

/**
 * Ends the spell of failures (webhooks/health.ts) of an endpoint that has nothing to send and had no attempt for as long: whether its receiver
 * was mended is not known. Kept, it would hide others from the alert, and count days without an attempt as failures.
 */
const endQuietSpells = `
  with ended as (
    update webhook_endpoints
       set failing_since = null, failing_told_at = null
     where ctid = any(array(
       select e.ctid from webhook_endpoints e
        where e.failing_since < ${limitOfAge}
          and not exists (
            select 1 from webhook_deliveries d
             where d.organization_id = e.organization_id and d.endpoint_id = e.id and d.state = 'pending')
          and not exists (
            select 1 from webhook_attempts a
             where a.organization_id = e.organization_id and a.endpoint_id = e.id
               and a.id >= (select uuidv7(-$1::float8 * interval '1 day')))
        order by e.failing_since
        limit $2
        for update skip locked))
    returning 1)
  select count(*)::int as count from ended`;

export async function quietSpellsBatch(em: Em, days: number, limit: number): Promise<Batch> {
  const [row] = await query<{ count: number }>(em, endQuietSpells, [days, limit]);
  return { deleted: {}, isLast: row!.count < limit };
}

/** A deleted endpoint that no delivery shows any more, with its pools. */
const deleteEndpoints = `
  with deleted as (
    delete from webhook_endpoints
     where ctid = any(array(
       select e.ctid from webhook_endpoints e
        where e.deleted_at < ${limitOfAge}
          and not exists (
            select 1 from webhook_deliveries d
             where d.organization_id = e.organization_id and d.endpoint_id = e.id)
        order by e.deleted_at
        limit $2
        for update skip locked))
    returning organization_id, id),
  pooled as (
    delete from pools p
     using deleted d
     where p.organization_id = d.organization_id and p.id in ('endpoint:' || d.id, 'endpoint:' || d.id || ':drain'))
  select count(*)::int as count from deleted`;

export async function deletedEndpointsBatch(em: Em, days: number, limit: number): Promise<Batch> {
  const [row] = await query<{ count: number }>(em, deleteEndpoints, [days, limit]);
  return { deleted: { webhook_endpoints: row!.count }, isLast: row!.count < limit };
}
