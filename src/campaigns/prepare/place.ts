import type { OwnTx } from '../../platform/ledger/tx.ts';
import type { Place } from '../place-recipient.ts';

export type Placed = { id: string; contact_id: string } & Place;

const listsOf = (placed: Placed[]) => [
  placed.map(({ id }) => id),
  placed.map(({ contact_id }) => contact_id),
  placed.map(({ channel_id }) => channel_id),
  placed.map(({ variant_id }) => variant_id),
  placed.map(({ zone }) => zone),
  placed.map(({ due_at }) => due_at),
];
const lists = 'unnest($3::uuid[], $4::uuid[], $5::uuid[], $6::text[], $7::text[], $8::timestamptz[])';

/** SQL: a set. Who is a recipient already stays as they are. */
const insertStatement = `
  with made as (
    insert into campaign_recipients (organization_id, campaign_id, id, contact_id, channel_id, variant_id, zone, due_at)
    select $1, $2, x.id, x.contact_id, x.channel_id, x.variant_id, x.zone, coalesce(x.due_at, clock_timestamp())
      from ${lists} as x(id, contact_id, channel_id, variant_id, zone, due_at)
    on conflict (organization_id, campaign_id, contact_id) where contact_id is not null and not is_extra do nothing
    returning 1)
  select count(*)::int as count
    from made`;

/** SQL: a set. Only those that nothing was done for: a second run writes the same. */
const placeStatement = `
  with placed as (
    update campaign_recipients r
       set channel_id = x.channel_id,
           variant_id = x.variant_id,
           zone = x.zone,
           due_at = coalesce(x.due_at, clock_timestamp())
      from ${lists} as x(id, contact_id, channel_id, variant_id, zone, due_at)
     where r.organization_id = $1
       and r.campaign_id = $2
       and r.id = any($3::uuid[])
       and r.id = x.id
       and (r.status = 'pending') is true
    returning 1)
  select count(*)::int as count
    from placed`;

const writeBy =
  (text: string) =>
  async (tx: OwnTx, campaignId: string, placed: Placed[]): Promise<number> =>
    placed.length === 0 ? 0 : (await tx.sql<{ count: number }>(text, [campaignId, ...listsOf(placed)]))[0]!.count;

/** How many are new. */
export const insertRecipients = writeBy(insertStatement);
export const placeAgain = writeBy(placeStatement);

/** SQL: the zones of a campaign, each once. */
export const zonesWith = (zones: string, more: string) =>
  `array(select distinct z from unnest(${zones} || ${more}::text[]) z order by z)`;
