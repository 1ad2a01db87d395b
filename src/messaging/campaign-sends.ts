import type { FrequencyCap } from '../organizations/organization.entity.ts';
import { AppError } from '../platform/errors.ts';
import { LocksOutdated } from '../platform/ledger/locks.ts';
import type { OwnTx } from '../platform/ledger/tx.ts';

/* SQL: tables of campaigns, which stand above messaging. */

/**
 * What counts for the cap: messages of any campaign to the contact that did not fail. The time in a form that no index fits: a plan made
 * while nothing is queued would read all that were queued since, instead of the contact's.
 */
export const cappedSql = (contact: string, [organization, max, days]: [organization: string, max: string, days: string]) => `
  (select count(*)
     from (select 1
             from campaign_recipients o
            where o.organization_id = ${organization}
              and o.contact_id = ${contact}
              and (o.queued_at > clock_timestamp() - ${days}::int * interval '1 day') is true
              and (o.status not in ('pending', 'failed', 'skipped')) is true
            limit ${max}::int) c) >= ${max}::int`;

type Retried = {
  contact_id: string | null;
  ended: 'cancelled' | 'completed' | null;
  has_other: boolean;
  cap: FrequencyCap | null;
};

/** No row: the recipient was skipped, or has another message by now. */
const lookStatement = `
  select r.contact_id,
         case when c.status in ('cancelled', 'completed') then c.status end as ended,
         exists (
           select 1
             from campaign_recipients o
            where o.organization_id = r.organization_id and o.contact_id = r.contact_id and o.campaign_id = r.campaign_id and o.id <> r.id
              and (o.status in ('pending', 'queued', 'sent', 'delivered', 'read')
                or o.status = 'failed' and o.failure_code = 'outcome_unknown')) as has_other,
         g.frequency_cap as cap
    from campaign_recipients r
    join campaigns c on c.organization_id = r.organization_id and c.id = r.campaign_id
    join organizations g on g.id = r.organization_id
   where r.organization_id = $1
     and r.message_id = $2
     and (r.status = 'failed') is true`;

const cappedStatement = `
  select 1
   where ${cappedSql('$2', ['$1', '$3', '$4'])}`;

const queueStatement = `
  update campaign_recipients
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
  returning id`;

/** Not its lock, which the feed holds: one that completes meanwhile waits for it, and sees the recipient, or is seen as completed. */
const holdCampaign = `
  select 1
    from campaigns
   where organization_id = $1
     and id = $2
     for share`;

/**
 * The message goes out again, also while its campaign is paused: somebody asked for this one. Throws 409 where the campaign was cancelled or has completed
 * (nobody is on the way in one: `retry-failed` has it run again), has skipped the person, or writes or may have written to them with another message, and where they have had as many as the frequency cap allows.
 */
export async function followRetry(tx: OwnTx, { id, campaign_id }: { id: string; campaign_id: string | null }): Promise<void> {
  if (campaign_id === null) return;
  const [first] = await tx.sql<Retried>(lookStatement, [id]);
  // As the feed: of two messages that would both be the last one that is allowed, one is made.
  if (first?.contact_id) await tx.lockFound('contact', first.contact_id);
  await tx.sql(holdCampaign, [campaign_id]);
  const [row] = await tx.sql<Retried>(lookStatement, [id]);
  if (row && row.contact_id !== first?.contact_id) throw new LocksOutdated();
  if (row?.ended === 'cancelled') throw new AppError('conflict', 'The campaign of this message was cancelled');
  if (row?.ended === 'completed') throw new AppError('conflict', completed);
  if (!row || row.has_other) throw new AppError('conflict', notRetried);
  const { contact_id, cap } = row;
  const isCapped =
    contact_id !== null && cap !== null && (await tx.sql(cappedStatement, [contact_id, cap.max, cap.days])).length > 0;
  if (isCapped) throw new AppError('conflict', 'The person has had as many messages of campaigns as the frequency cap allows');
  if ((await tx.sql(queueStatement, [id])).length === 0) throw new AppError('conflict', notRetried);
}

const completed = 'The campaign of this message has completed: its retry-failed writes again to those who were not reached';
const notRetried = 'The campaign of this message has skipped the person, or has written to them again';
