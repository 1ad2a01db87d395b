import type { TenantTransact } from '../platform/ledger/tenant.ts';
import { campaignLane } from './jobs.ts';
import type { SkipReason } from './states.ts';

const usualStep = 5_000;

/** SQL: a set, found first in an index. */
const skipStatement = `
  update campaign_recipients r
     set status = 'skipped', reason = $3
   where r.organization_id = $1
     and r.campaign_id = $2
     and r.id = any(array(
           select q.id
             from campaign_recipients q
            where q.organization_id = $1
              and q.campaign_id = $2
              and q.status = 'pending'
              and ($4::text[] is null or q.zone = any($4::text[]))
            order by q.id
            limit $5
              for no key update))
     and (r.status = 'pending') is true
  returning 1`;

type Skipping = { transact: TenantTransact; campaignId: string; reason: SkipReason; zones?: string[]; size?: number };

/** Those who wait are not written to any more, in those zones or in all: one batch of them. False: it was the last. */
export async function skipPending({ transact, campaignId, reason, zones, size = usualStep }: Skipping): Promise<boolean> {
  const skipped = await transact({ locks: [campaignLane(campaignId)], isLong: true }, ({ own }) =>
    own.sql(skipStatement, [campaignId, reason, zones ?? null, size]),
  );
  return skipped.length === size;
}
