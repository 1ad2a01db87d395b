import type { Organization } from '../organizations/organization.entity.ts';
import type { Own } from '../platform/database/own.ts';
import type { RowOf } from '../platform/database/tables.ts';
import { zoneOf } from '../platform/time/zone-of.ts';
import type { CampaignRow } from './campaign-row.ts';
import { variantOf } from './content/choose.ts';
import { startIn } from './schedule/start.ts';

type Unplaced = { id: string; contact_id: string };
/** `due_at` null: from now on. */
export type Place = { channel_id: string; variant_id: string; zone: string; due_at: string | null };

type Seen = RowOf<typeof Organization, 'timezone'> & { contact_id: string; channel_id: string | null; own_zone: unknown };

/** SQL: of each contact the channel it wrote on last, among those of the campaign. */
const seenOf = `
  select k.id as contact_id, k.custom_fields -> o.timezone_field as own_zone, o.timezone,
         (select c.channel_id
            from conversations c
           where c.organization_id = $1
             and c.contact_id = k.id
             and c.channel_id = any($3::uuid[])
           order by c.last_message_at desc nulls last, c.id
           limit 1) as channel_id
    from contacts k
    join organizations o on o.id = $1
   where k.organization_id = $1
     and k.id = any($2::uuid[])`;

/** Always the same for a recipient. A uuid ends in random digits. */
const spreadOver = (id: string, channels: string[]) => channels[Number.parseInt(id.slice(-8), 16) % channels.length]!;

/** Where a recipient is written to, when, and in which variant: as at the start of the campaign. Needs a channel and a variant. */
export async function placeRecipients<Row extends Unplaced>(
  own: Own,
  campaign: CampaignRow,
  rows: Row[],
): Promise<(Row & Place)[]> {
  const { channel_ids: channels, variants, schedule } = campaign;
  const seen = await own.sql<Seen>(seenOf, [rows.map(({ contact_id }) => contact_id), channels]);
  const byContact = new Map(seen.map((one) => [one.contact_id, one]));
  return rows.map((row) => {
    const { own_zone, timezone = 'UTC', channel_id } = byContact.get(row.contact_id) ?? {};
    const fallback = schedule.timezone ?? timezone;
    const zone = zoneOf(own_zone, fallback);
    const { start_at, end_at = null, is_local = false } = schedule;
    const start = start_at && startIn({ start_at, end_at, is_local, timezone: fallback, quiet_hours: null, days: null }, zone);
    return {
      ...row,
      channel_id: channel_id ?? spreadOver(row.id, channels),
      variant_id: variants.length > 0 ? variantOf(row.id, variants).id : '',
      zone,
      due_at: start ? start.toISOString() : null,
    };
  });
}
