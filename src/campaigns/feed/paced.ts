import type { Own } from '../../platform/database/own.ts';
import type { CampaignRow } from '../campaign-row.ts';
import { type Budget, unbounded } from './turns.ts';

/**
 * What the campaign's own pace allows now. A second ahead at most, as `pacedPart` of batch.ts counts it; a slow pace has one message at a
 * time.
 */
export async function allowanceOf(own: Own, { id, pace }: CampaignRow): Promise<Budget> {
  if (!pace.per_minute) return unbounded();
  const gapMs = 60_000 / pace.per_minute;
  // SQL: a difference by the database's clock, in ms.
  const [row] = await own.sql<{ ahead_ms: number | null }>(
    `select (extract(epoch from paced_until - clock_timestamp()) * 1000)::float8 as ahead_ms
       from campaigns
      where organization_id = $1
        and id = $2`,
    [id],
  );
  const burstMs = Math.max(0, 1_000 - gapMs);
  const aheadMs = Math.max(row?.ahead_ms ?? Number.NEGATIVE_INFINITY, -burstMs);
  // Half a thousandth: what is due now must not be lost to the last digits.
  return aheadMs > 0 ? { left: 0, waitMs: aheadMs } : { left: Math.floor(-aheadMs / gapMs + 0.0005) + 1, waitMs: gapMs };
}
