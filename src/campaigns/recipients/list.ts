import type { Own } from '../../platform/database/own.ts';
import type { RowOf } from '../../platform/database/tables.ts';
import { type Bind, bindTo } from '../../platform/listing/bind.ts';
import type { Ask } from '../../platform/listing/paging.ts';
import type { CampaignRecipient } from '../recipient.entity.ts';
import type { RecipientStatus } from '../states.ts';

const columns = [
  'id',
  'contact_id',
  'channel_id',
  'variant_id',
  'status',
  'reason',
  'failure_code',
  'zone',
  'due_at',
  'parameters',
  'message_id',
  'attempts',
  'queued_at',
  'sent_at',
  'delivered_at',
  'read_at',
  'failed_at',
  'replied_at',
  'clicked_at',
  'opted_out_at',
  'created_at',
] as const;

export type RecipientRow = RowOf<typeof CampaignRecipient, (typeof columns)[number]> & {
  name: string | null;
  phone_number: string | null;
};

/** Only what an index serves, one of them at a time. */
export type RecipientFilter = { statuses?: RecipientStatus[]; reason?: string; contactId?: string };

/** A range of an index in the order of ids; `statuses`: a range each, and the smallest of them all. */
function rangeSql(campaignId: string, { statuses, reason, contactId }: RecipientFilter, bind: Bind, rest: string): string {
  const from = `
    from campaign_recipients r
   where r.organization_id = $1
     and r.campaign_id = ${bind(campaignId)}`;
  if (contactId !== undefined) return `select r.* ${from} and r.contact_id = ${bind(contactId)} ${rest}`;
  if (reason !== undefined) return `select r.* ${from} and r.reason = ${bind(reason)} and r.reason <> '' ${rest}`;
  if (!statuses) return `select r.* ${from} ${rest}`;
  return `
    select o.*
      from unnest(${bind(statuses)}::text[]) as x(status),
           lateral (select r.* ${from} and r.status = x.status ${rest}) o`;
}

type RecipientPage = { limit: number; after?: string };
type Direction = 'asc' | 'desc';

/** SQL: its shape follows the filter, so that each reads as many rows as it shows. */
function readPage(own: Own, campaignId: string, filter: RecipientFilter, page: RecipientPage, direction: Direction) {
  const { limit, after } = page;
  const params: unknown[] = [own.organizationId];
  const bind = bindTo(params);
  const size = bind(limit);
  const beyond = after === undefined ? '' : `and r.id ${direction === 'asc' ? '>' : '<'} ${bind(after)}::uuid`;
  const range = rangeSql(campaignId, filter, bind, `${beyond} order by r.id ${direction} limit ${size}`);
  const text = `
    select ${columns.map((column) => `p.${column}`).join(', ')}, k.name, k.phone_number
      from (select * from (${range}) s order by s.id ${direction} limit ${size}) p
      left join contacts k on k.organization_id = $1 and k.id = p.contact_id
     order by p.id ${direction}`;
  return own.sql<RecipientRow>(text, params.slice(1));
}

/** Newest first, one row more than the limit. */
export const listRecipients = (own: Own, campaignId: string, filter: RecipientFilter, page: RecipientPage) =>
  readPage(own, campaignId, filter, { ...page, limit: page.limit + 1 }, 'desc');

/** In the order in which they were added, for a file. */
export const recipientsAfter = (own: Own, campaignId: string, filter: RecipientFilter, page: RecipientPage) =>
  readPage(own, campaignId, filter, page, 'asc');

/** SQL: as the pages. There may be millions: `ask` has the limits of a dear read. */
export async function countRecipients(ask: Ask, own: Own, campaignId: string, filter: RecipientFilter): Promise<number> {
  const params: unknown[] = [own.organizationId];
  const range = rangeSql(campaignId, filter, bindTo(params), '');
  const [counted] = await ask<{ total: number }>(`select count(*)::int as total from (${range}) c`, params);
  return counted!.total;
}
