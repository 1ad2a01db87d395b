import type { OwnTx } from '../platform/ledger/tx.ts';

/* SQL: tables of campaigns, which stand above messaging. */

/** The message goes out again. False: its campaign has skipped the person, or writes to them with another message. */
export async function followRetry(tx: OwnTx, { id, campaign_id }: { id: string; campaign_id: string | null }): Promise<boolean> {
  if (campaign_id === null) return true;
  const queued = await tx.sql(
    `update campaign_recipients
        set status = 'queued',
            failure_code = '',
            attempts = attempts + 1,
            queued_at = clock_timestamp(),
            sent_at = null,
            failed_at = null,
            result_at = null
      where organization_id = $1
        and message_id = $2
        and status = 'failed'
     returning id`,
    [id],
  );
  return queued.length > 0;
}

export const notRetried = 'The campaign of this message has skipped the person, or has written to them again';

/**
 * For the claim of message `m`: whether it is the second of one person, whose two contacts became one. The extra one gives way to the other, the
 * other only to an extra one that is out already: so never both go out.
 */
export const isSecondOfCampaign = `
  coalesce(m.campaign_id is not null and exists (
    select 1
      from campaign_recipients r
      join campaign_recipients o
        on o.organization_id = r.organization_id and o.campaign_id = r.campaign_id and o.contact_id = r.contact_id and o.id <> r.id
     where r.organization_id = m.organization_id
       and r.message_id = m.id
       and (o.status in ('sent', 'delivered', 'read')
         or o.status = 'queued' and (r.is_extra or exists (
              select 1
                from messages x
               where x.organization_id = o.organization_id and x.id = o.message_id and x.status = 'sending')))), false)`;
