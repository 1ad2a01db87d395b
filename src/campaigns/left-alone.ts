/*
 * SQL: what `jobs check` finds of campaigns that no job will move. Each reads the rows that are open (queued recipients, messages on their
 * way), and what belongs to one by an index: its time grows with them, and not with what has ended.
 */
const maxFindings = 100;

/** The statuses are written by the transaction that settles the message: none can lag behind. */
const queuedWithoutMessage = `
  select r.id::text, 'campaign ' || c.id || ', message ' || coalesce(m.status, 'missing') as detail
    from campaigns c
   cross join lateral (
         select *
           from campaign_recipients q
          where q.organization_id = c.organization_id and q.campaign_id = c.id and q.status = 'queued'
         offset 0) r
    left join messages m on m.organization_id = r.organization_id and m.id = r.message_id
   where c.purged_at is null
     and coalesce(m.status, '') not in ('queued', 'sending')
   limit ${maxFindings}`;

const pendingAfterEnd = `
  select r.id::text, c.status || ' campaign ' || c.id as detail
    from campaigns c
   cross join lateral (
         select *
           from campaign_recipients q
          where q.organization_id = c.organization_id and q.campaign_id = c.id and q.status = 'pending'
          limit ${maxFindings}) r
   where c.ended_at is not null
     and c.purged_at is null
     and c.deleted_at is null
     and c.status in ('completed', 'cancelled', 'failed')
     and not c.withdrawing
   limit ${maxFindings}`;

const messageWithoutRecipient = `
  select m.id::text, 'campaign ' || m.campaign_id as detail
    from messages m
   where m.status in ('queued', 'sending')
     and m.campaign_id is not null
     and not exists (
       select 1
         from campaign_recipients r
        where r.organization_id = m.organization_id and r.message_id = m.id)
   limit ${maxFindings}`;

export const leftAlone = [
  { rule: 'a queued recipient has a message that is not settled', statement: queuedWithoutMessage },
  { rule: 'an ended campaign has no pending recipient', statement: pendingAfterEnd },
  { rule: 'an open message of a campaign has its recipient', statement: messageWithoutRecipient },
];
