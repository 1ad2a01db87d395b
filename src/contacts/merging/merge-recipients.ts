import type { MergeTx } from './merge-tx.ts';

/* SQL: the table of campaigns, which stand above contacts. */

/** A row that was skipped gives its place to one that was not: as an extra one nobody would be written to by either. */
const yieldPlaces = `
  update campaign_recipients s
     set is_extra = true
   where s.organization_id = $1
     and s.contact_id = $2
     and not s.is_extra
     and (s.status = 'skipped') is true
     and exists (
       select 1
         from campaign_recipients o
        where o.organization_id = $1 and o.contact_id = $3 and o.campaign_id = s.campaign_id and not o.is_extra and o.status <> 'skipped')`;

/** Both rows of a campaign stay, for its counts: the second is an extra one. */
const moveRecipients = `
  update campaign_recipients o
     set contact_id = $2,
         is_extra = o.is_extra or exists (
           select 1
             from campaign_recipients s
            where s.organization_id = $1 and s.contact_id = $2 and s.campaign_id = o.campaign_id and not s.is_extra)
   where o.organization_id = $1
     and o.contact_id = $3
  returning o.campaign_id`;

/**
 * Who was written to before, or waits in another row, is not written to again. One that failed may be retried, but as an extra one it never is: the other
 * waits in its place, unless the person may have got it.
 */
const skipSeconds = `
  update campaign_recipients r
     set status = 'skipped',
         reason = 'duplicate'
   where r.organization_id = $1
     and r.contact_id = $2
     and r.campaign_id = any($3::uuid[])
     and r.status = 'pending'
     and exists (
       select 1
         from campaign_recipients o
        where o.organization_id = $1 and o.contact_id = $2 and o.campaign_id = r.campaign_id and o.id <> r.id
          and (o.status in ('queued', 'sent', 'delivered', 'read')
            or o.status = 'failed' and (not o.is_extra or o.failure_code = 'outcome_unknown')
            or o.status = 'pending' and (o.is_extra, o.id) < (r.is_extra, r.id)))`;

/** Needs the locks of both contacts, as whoever makes a campaign's message. Of two messages that are made the claim lets one go. */
export async function mergeRecipients(tx: MergeTx): Promise<number> {
  await tx.sql(yieldPlaces, [tx.survivor, tx.merged]);
  const moved = await tx.sql<{ campaign_id: string }>(moveRecipients, [tx.survivor, tx.merged]);
  if (moved.length > 0) await tx.sql(skipSeconds, [tx.survivor, moved.map(({ campaign_id }) => campaign_id)]);
  return moved.length;
}
