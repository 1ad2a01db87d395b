import type { Own } from '../platform/database/own.ts';
import type { CampaignRow } from './campaign-row.ts';
import { type RecipientStatus, recipientStatuses } from './states.ts';

export type CampaignCounts = Record<'total' | RecipientStatus, number>;
/** `in_flight`: messages that are made and neither sent nor failed. `as_of`: when they were counted. */
export type Counted = { counts: CampaignCounts; in_flight: number; as_of: string };

/** SQL: a sum by group. */
const byStatus = `
  select status, count(*)::int as count
    from campaign_recipients
   where organization_id = $1
     and campaign_id = $2
   group by status`;

export async function countsOf(own: Own, { id }: Pick<CampaignRow, 'id'>): Promise<Counted> {
  const rows = await own.sql<{ status: RecipientStatus; count: number }>(byStatus, [id]);
  const found = new Map(rows.map(({ status, count }) => [status, count]));
  const each = recipientStatuses.map((status) => [status, found.get(status) ?? 0] as const);
  const total = each.reduce((sum, [, count]) => sum + count, 0);
  const counts = { total, ...Object.fromEntries(each) } as CampaignCounts;
  return { counts, in_flight: counts.queued, as_of: new Date().toISOString() };
}
