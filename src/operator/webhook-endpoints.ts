import { getOrganization } from '../organizations/organizations.ts';
import type { Database } from '../platform/database/database.ts';
import { ownRows } from '../platform/database/own.ts';
import { query } from '../platform/database/query.ts';
import type { RowOf } from '../platform/database/tables.ts';
import type { WebhookEndpoint } from '../webhooks/endpoint.entity.ts';

type Troubled = RowOf<typeof WebhookEndpoint, 'id' | 'organization_id' | 'enabled' | 'disabled_reason' | 'failing_since'> & {
  organization: string;
  /** Path and query of a receiver may be its secret. */
  host: string;
  pending: number;
  overdue_since_at: string | null;
  failed: number;
  last_failed_at: string | null;
};

/** Deliveries of one state are counted up to this. */
export const maxCounted = 1_000;
/** In memory at once, with the counts of each. */
export const maxListed = 1_000;

/** SQL: what an operator looks for is at an endpoint of any organization; of each a bounded part of an index is read. */
const troubledStatement = `
  select w.organization_id, o.name as organization, w.id, w.url, w.enabled, w.disabled_reason, w.failing_since,
         p.pending, p.overdue_since_at, f.failed, f.last_failed_at
    from webhook_endpoints w
    join organizations o on o.id = w.organization_id
   cross join lateral (
      select count(*)::int as pending,
             min(next_attempt_at) filter (where next_attempt_at < clock_timestamp() - interval '10 s') as overdue_since_at
        from (select next_attempt_at
                from webhook_deliveries d
               where d.organization_id = w.organization_id and d.endpoint_id = w.id and d.state = 'pending'
               order by d.id
               limit ${maxCounted}) d) p
   cross join lateral (
      select count(*)::int as failed, max(finished_at) as last_failed_at
        from (select finished_at
                from webhook_deliveries d
               where d.organization_id = w.organization_id and d.endpoint_id = w.id and d.state = 'failed' and not d.is_test
               order by d.id desc
               limit ${maxCounted}) d) f
   where w.deleted_at is null and ($1::uuid is null or w.organization_id = $1)
     and (not w.enabled or w.failing_since is not null or p.overdue_since_at is not null or f.failed > 0)
   order by w.enabled desc, p.overdue_since_at nulls last, w.failing_since nulls last, f.last_failed_at desc nulls last, w.id
   limit $2`;

type Wanted = { organizationId?: string; limit: number };

/**
 * Endpoints that are disabled or failing, or have deliveries that are overdue or failed, but for tests. What waits the longest comes first;
 * disabled ones come last, or those that nobody uses any more would hide the others. Throws 404.
 */
export async function troubledEndpoints(
  database: Database,
  { organizationId, limit }: Wanted,
): Promise<{ rows: Troubled[]; isMore: boolean }> {
  if (organizationId) await getOrganization(ownRows(database, organizationId));
  const found = await query<Omit<Troubled, 'host'> & RowOf<typeof WebhookEndpoint, 'url'>>(database, troubledStatement, [
    organizationId ?? null,
    limit + 1,
  ]);
  const rows = found.slice(0, limit).map(({ url, ...row }) => ({ ...row, host: new URL(url).host }));
  return { rows, isMore: found.length > limit };
}
