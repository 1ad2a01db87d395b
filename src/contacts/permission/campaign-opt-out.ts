import type { ContactTx } from '../contact-tx.ts';

/**
 * Whoever opts out within 72 hours of a campaign's message did so because of it: the last one that reached them.
 * SQL: the table of campaigns, which stand above contacts.
 */
export async function noteOptOut(tx: ContactTx): Promise<void> {
  await tx.sql(
    `update campaign_recipients
        set opted_out_at = clock_timestamp()
      where organization_id = $1
        and id = (
          select r.id
            from campaign_recipients r
           where r.organization_id = $1
             and r.contact_id = $2
             and r.queued_at is not null
             and r.status in ('sent', 'delivered', 'read')
           order by r.queued_at desc
           limit 1)
        and opted_out_at is null
        and sent_at > clock_timestamp() - interval '72 hours'`,
    [tx.contactId],
  );
}
