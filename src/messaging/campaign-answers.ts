import type { OwnTx } from '../platform/ledger/tx.ts';

/* SQL: the table of campaigns, which stand above messaging. */

/** What a person does so long after a campaign's message is counted as caused by it; src/contacts/permission/campaign-opt-out.ts too. */
const answerHours = 72;

type Answer = { conversationId: string; recipientId: string; at: Date };

/**
 * The first message of the person after the campaign's: later ones find nobody awaited. Before it went out, or where it never did, it is an answer to
 * the last one that had gone out on this channel, perhaps of another campaign.
 */
export async function hearAnswer(tx: OwnTx, { conversationId, recipientId, at }: Answer): Promise<void> {
  // The provider's times are whole seconds.
  await tx.sql(
    `with heard as (
       update campaign_recipients r
          set replied_at = least($4::timestamptz, clock_timestamp())
        where r.organization_id = $1
          and r.id = coalesce(
            (select a.id
               from campaign_recipients a
              where a.organization_id = $1
                and a.id = $3
                and date_trunc('second', a.sent_at) <= $4::timestamptz),
            (select s.id
               from conversations c
               join campaign_recipients s
                 on s.organization_id = c.organization_id and s.contact_id = c.contact_id and s.channel_id = c.channel_id
              where c.organization_id = $1
                and c.id = $2
                and date_trunc('second', s.sent_at) <= $4::timestamptz
              order by s.sent_at desc
              limit 1))
          and r.replied_at is null
          and $4::timestamptz < r.sent_at + interval '${answerHours} hours')
     update conversations v
        set awaited_recipient_id = null
      where v.organization_id = $1
        and v.id = $2
        and v.awaited_recipient_id = $3
        and not exists (
          select 1
            from campaign_recipients r
           where r.organization_id = $1 and r.id = $3
             and (r.status in ('pending', 'queued') or $4::timestamptz < date_trunc('second', r.sent_at)))`,
    [conversationId, recipientId, at],
  );
}

/** A button of the campaign's message. */
export async function hearClick(tx: OwnTx, messageId: string): Promise<void> {
  await tx.sql(
    `update campaign_recipients
        set clicked_at = clock_timestamp()
      where organization_id = $1
        and message_id = $2
        and clicked_at is null`,
    [messageId],
  );
}
