import { uuidv7 } from '../../platform/ids.ts';
import type { OwnTx } from '../../platform/ledger/tx.ts';
import { campaignLane } from '../jobs.ts';
import { placeRecipients } from '../place-recipient.ts';
import { enqueueFeed } from '../start-job.ts';
import { openCampaign } from './open-campaign.ts';
import type { Parameters } from './parameters.ts';

/** `parameters` undefined: those of a recipient who is there stay. */
export type NewRecipient = { contactId: string; parameters?: Parameters };

/** SQL: a set. Who is a recipient stays one; parameters are changed as long as no message was made of them. */
const addAll = `
  with given as (
    select *
      from jsonb_to_recordset($3::jsonb) as x(
        n int, id uuid, contact_id uuid, parameters jsonb, channel_id uuid, variant_id text, zone text, due_at timestamptz)),
  added as (
    insert into campaign_recipients
      (organization_id, id, campaign_id, contact_id, parameters, channel_id, variant_id, zone, due_at)
    select $1, g.id, $2, g.contact_id, coalesce(g.parameters, '{}'), g.channel_id, g.variant_id, g.zone,
           coalesce(g.due_at, clock_timestamp())
      from given g
     order by g.n
    on conflict (organization_id, campaign_id, contact_id) where contact_id is not null and not is_extra do nothing
    returning contact_id, zone),
  changed as (
    update campaign_recipients r
       set parameters = g.parameters
      from given g
     where r.organization_id = $1
       and r.campaign_id = $2
       and r.contact_id = g.contact_id
       and not r.is_extra
       and r.status = 'pending'
       and r.parameters <> g.parameters
    returning r.contact_id),
  zoned as (
    update campaigns c
       set zones = array(select unnest(c.zones) union select zone from added)
     where c.organization_id = $1
       and c.id = $2
       and exists (select from added where zone <> all (c.zones)))
  select contact_id, true as is_added
    from added
  union all
  select contact_id, false
    from changed`;

export type Added = { added: Set<string>; changed: Set<string> };

/** The last entry of a contact counts. Needs the campaign's lock. Throws 404, 409 when it has ended or has no channels. */
export async function addRecipients(tx: OwnTx, campaignId: string, given: NewRecipient[]): Promise<Added> {
  tx.assertLocked(campaignLane(campaignId));
  const campaign = await openCampaign(tx, campaignId);
  const last = new Map<string, Parameters | undefined>();
  for (const { contactId, parameters } of given) last.set(contactId, parameters ?? last.get(contactId));
  const rows = [...last].map(([contact_id, parameters], n) => ({ n, id: uuidv7(), contact_id, parameters }));
  const placed = await placeRecipients(tx, campaign, rows);
  const written = await tx.sql<{ contact_id: string; is_added: boolean }>(addAll, [campaignId, JSON.stringify(placed)]);
  // The feed may sleep until another zone opens.
  if (campaign.status === 'running' && campaign.phase !== 'preparing' && written.some(({ is_added }) => is_added))
    await enqueueFeed(tx, campaignId);
  const of = (isAdded: boolean) => new Set(written.filter(({ is_added }) => is_added === isAdded).map((row) => row.contact_id));
  return { added: of(true), changed: of(false) };
}
