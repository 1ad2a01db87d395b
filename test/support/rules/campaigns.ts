import type { EntityData, FilterQuery, InferEntity } from '@mikro-orm/core';
import { Campaign } from '../../../src/campaigns/campaign.entity.ts';
import { CampaignRecipient } from '../../../src/campaigns/recipient.entity.ts';
import type { FrequencyCap } from '../../../src/organizations/organization.entity.ts';
import { Organization } from '../../../src/organizations/organization.entity.ts';
import type { Em } from '../../../src/platform/database/database.ts';
import { query } from '../../../src/platform/database/query.ts';

type StoredCampaign = InferEntity<typeof Campaign>;
type StoredRecipient = InferEntity<typeof CampaignRecipient>;

export const storedCampaign = (em: Em, id: string): Promise<StoredCampaign> => em.findOneOrFail(Campaign, { id });

/** Changes a campaign outside its life of states. */
export const setCampaign = (em: Em, id: string, change: EntityData<StoredCampaign>) => em.nativeUpdate(Campaign, { id }, change);

/** Changes recipients outside the way of a campaign. */
export const setRecipients = (em: Em, which: FilterQuery<StoredRecipient>, change: EntityData<StoredRecipient>) =>
  em.nativeUpdate(CampaignRecipient, which, change);

/** Of every organization; null: no cap. */
export const setFrequencyCap = (em: Em, frequency_cap: FrequencyCap | null) =>
  em.nativeUpdate(Organization, {}, { frequency_cap });

/** Recipients without a contact, in one statement: their columns by their number from 1, or the same for all. */
export const storeRecipients = (
  em: Em,
  organizationId: string,
  { campaignId, channelId }: { campaignId: string; channelId: string },
  count: number,
  more: object | ((number: number) => object) = {},
) =>
  query(
    em,
    `insert into campaign_recipients (organization_id, id, campaign_id, channel_id, status, variant_id, reason, failure_code, sent_at, failed_at,
       replied_at, opted_out_at)
     select $1, uuidv7(), $2, $3, coalesce(r.status, 'pending'), coalesce(r.variant_id, ''), coalesce(r.reason, ''), coalesce(r.failure_code, ''),
            r.sent_at, r.failed_at, r.replied_at, r.opted_out_at
       from jsonb_to_recordset($4::jsonb) as r(status text, variant_id text, reason text, failure_code text, sent_at timestamptz,
            failed_at timestamptz, replied_at timestamptz, opted_out_at timestamptz)`,
    [
      organizationId,
      campaignId,
      channelId,
      JSON.stringify(Array.from({ length: count }, (_, index) => (typeof more === 'function' ? more(index + 1) : more))),
    ],
  );
