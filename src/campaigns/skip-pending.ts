import type { TenantTransact } from '../platform/ledger/tenant.ts';
import { campaignLane } from './jobs.ts';
import type { SkipReason } from './states.ts';

const usualStep = 5_000;

/** SQL: a set, found first in an index. */
const skipStatement = (waiting: string) => `
  update campaign_recipients r
     set status = 'skipped', reason = $3
   where r.organization_id = $1
     and r.campaign_id = $2
     and r.id = any(array(
           ${waiting}))
     and (r.status = 'pending') is true
  returning 1`;

const skipAll = skipStatement(`
           select q.id
             from campaign_recipients q
            where q.organization_id = $1
              and q.campaign_id = $2
              and q.status = 'pending'
            order by q.id
            limit $4
              for no key update`);

/** A look for each channel and zone: where nobody waits in them, those of other zones are not read. */
const skipZones = skipStatement(`
           select q.id
             from campaign_channels cc
            cross join unnest($5::text[]) as z(zone),
                  lateral (
                    select w.id
                      from campaign_recipients w
                     where w.organization_id = $1
                       and w.campaign_id = $2
                       and w.channel_id = cc.channel_id
                       and w.zone = z.zone
                       and w.status = 'pending'
                     order by w.due_at, w.id
                     limit $4
                       for no key update) q
            where cc.organization_id = $1
              and cc.campaign_id = $2
            limit $4`);

type Skipping = { transact: TenantTransact; campaignId: string; reason: SkipReason; zones?: string[]; size?: number };

/** Those who wait are not written to any more, in those zones or in all: one batch of them. False: it was the last. */
export async function skipPending({ transact, campaignId, reason, zones, size = usualStep }: Skipping): Promise<boolean> {
  const skipped = await transact({ locks: [campaignLane(campaignId)], isLong: true }, ({ own }) =>
    zones ? own.sql(skipZones, [campaignId, reason, size, zones]) : own.sql(skipAll, [campaignId, reason, size]),
  );
  return skipped.length === size;
}
