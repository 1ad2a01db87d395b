import type { Contact } from '../../contacts/contact.entity.ts';
import type { Database } from '../../platform/database/database.ts';
import type { Own } from '../../platform/database/own.ts';
import { queryPlanned } from '../../platform/database/query.ts';
import type { RowOf } from '../../platform/database/tables.ts';
import { uuidv7 } from '../../platform/ids.ts';
import { bindTo } from '../../platform/listing/bind.ts';
import type { CampaignRow } from '../campaign-row.ts';
import { placeRecipients } from '../place-recipient.ts';
import type { CampaignRecipient } from '../recipient.entity.ts';
import type { Placed } from './place.ts';
import { type AudienceRead, excludedBy } from './sources.ts';

/** `last`: where the next batch goes on; null: the source is empty from here on. */
export type Batch = { placed: Placed[]; last: string | null; isWhole: boolean };

const lowest = '00000000-0000-0000-0000-000000000000';

/** SQL: those who were added by hand or by a file, who stay whatever the audience says. In the order of an index. */
const byHand = `
  select r.id, r.contact_id
    from campaign_recipients r
   where r.organization_id = $1
     and r.campaign_id = $2
     and r.id > $3
   order by r.id
   limit $4`;

/** They were placed when they were added: schedule and content may be others by now. */
export async function readByHand(own: Own, campaign: CampaignRow, after: string | null, size: number): Promise<Batch> {
  const rows = await own.sql<RowOf<typeof CampaignRecipient, 'id' | 'contact_id'>>(byHand, [campaign.id, after ?? lowest, size]);
  const known = rows.flatMap(({ id, contact_id }) => (contact_id === null ? [] : [{ id, contact_id }]));
  return { placed: await placeRecipients(own, campaign, known), last: rows.at(-1)?.id ?? null, isWhole: rows.length === size };
}

/** The next contacts of a source, less the excluded ones, each as the recipient it becomes. */
export async function readSource(
  database: Database,
  own: Own,
  campaign: CampaignRow,
  { sources, excluded }: AudienceRead,
  { source, after, size }: { source: number; after: string | null; size: number },
): Promise<Batch> {
  const { key, from } = sources[source]!;
  const params: unknown[] = [own.organizationId];
  const bind = bindTo(params);
  // SQL: conditions of any listing, planned for their values. The exclusions stand outside the limit: the position moves past them.
  const text = `
    with batch as materialized (
      select k.id
        from ${from(bind)}
         and ${key} > ${bind(after ?? lowest)}::uuid
       order by ${key}
       limit ${bind(size)})
    select k.id, ${excludedBy(excluded, bind)} as is_excluded
      from batch b
      join contacts k on k.organization_id = $1 and k.id = b.id
     order by k.id`;
  const rows = await queryPlanned<RowOf<typeof Contact, 'id'> & { is_excluded: boolean }>(database, text, params);
  const kept = rows.flatMap(({ id, is_excluded }) => (is_excluded ? [] : [{ id: uuidv7(), contact_id: id }]));
  return { placed: await placeRecipients(own, campaign, kept), last: rows.at(-1)?.id ?? null, isWhole: rows.length === size };
}
