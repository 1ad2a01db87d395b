import type { Own } from '../../platform/database/own.ts';
import type { RowOf } from '../../platform/database/tables.ts';
import type { TenantTransact } from '../../platform/ledger/tenant.ts';
import type { CampaignRow } from '../campaign-row.ts';
import { campaignLane } from '../jobs.ts';
import { placeRecipients } from '../place-recipient.ts';
import { placeAgain, zonesWith } from '../prepare/place.ts';
import type { CampaignRecipient } from '../recipient.entity.ts';

const usualStep = 5_000;

/** SQL: a page by lists (`<> all`) of those that no look of the feed finds: on a channel that was taken from the campaign, or in a zone that it does not know. */
const straysStatement = `
  select r.id, r.contact_id
    from campaign_recipients r
   where r.organization_id = $1
     and r.campaign_id = $2
     and r.status = 'pending'
     and (r.channel_id <> all($3::uuid[]) or r.zone <> all($4::text[]))
   order by r.id
   limit $5`;
type Stray = RowOf<typeof CampaignRecipient, 'id' | 'contact_id'>;

/** SQL: a set by its ids, each as it is now; and zones that the campaign does not have yet, added by the database. */
const skipErased = `
  update campaign_recipients
     set status = 'skipped', reason = 'contact_deleted'
   where organization_id = $1
     and id = any($2::uuid[])
     and status = 'pending'
     and contact_id is null`;
const learnZones = `
  update campaigns
     set zones = ${zonesWith('zones', '$3')}
   where organization_id = $1
     and id = $2`;

/** When nobody else is left: gives them a channel of the campaign. False: there are none. */
export async function placeStrays(own: Own, transact: TenantTransact, campaign: CampaignRow, size = usualStep): Promise<boolean> {
  const { id, channel_ids, zones } = campaign;
  const look = async () => {
    const strays = await own.sql<Stray>(straysStatement, [id, channel_ids, zones, size]);
    const known = strays.flatMap((stray) => (stray.contact_id === null ? [] : [{ id: stray.id, contact_id: stray.contact_id }]));
    return { strays, placed: await placeRecipients(own, campaign, known) };
  };
  return transact({ look, locks: () => [campaignLane(id)], isLong: true }, async ({ own: tx }, { strays, placed }) => {
    if (strays.length === 0) return false;
    await tx.sql(skipErased, [strays.map((stray) => stray.id)]);
    await placeAgain(tx, id, placed);
    await tx.sql(learnZones, [id, [...new Set(placed.map(({ zone }) => zone))]]);
    return true;
  });
}
