import { assertContact } from '../contacts/queries.ts';
import type { Own } from '../platform/database/own.ts';
import { list, type Page } from '../platform/listing/paging.ts';
import { Campaign } from './campaign.entity.ts';
import { CampaignRecipient } from './recipient.entity.ts';

export type HistoryRow = Awaited<ReturnType<typeof rows>>['rows'][number];

const rows = list(
  (select, { contactId }: { contactId: string }) =>
    select(CampaignRecipient, Campaign)
      .innerJoin('campaigns', 'campaigns.id', 'campaign_recipients.campaign_id')
      .select([
        'campaign_recipients.id',
        'campaign_recipients.created_at',
        'campaign_recipients.status as recipient_status',
        'campaign_recipients.sent_at',
        'campaign_recipients.delivered_at',
        'campaign_recipients.failed_at',
        'campaigns.id as campaign_id',
        'campaigns.name as campaign_name',
        'campaigns.status as campaign_status',
      ])
      .where('campaign_recipients.contact_id', '=', contactId)
      .where('campaigns.deleted_at', 'is', null),
  { createdAt: 'campaign_recipients.created_at', id: 'campaign_recipients.id' },
);

/** The campaigns a person was a recipient of, newest first; of two contacts that became one, the rows of both. Throws 404. */
export async function historyOf(own: Own, contactId: string, page: Page) {
  await assertContact(own, contactId);
  return rows(own, { contactId }, page);
}
