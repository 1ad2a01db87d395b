import type { Template } from '../messaging/template.entity.ts';
import type { Em } from '../platform/database/database.ts';
import { beyond, type RowOf, type TablesOf, tables } from '../platform/database/tables.ts';
import type { Channel } from './channel.entity.ts';

const columns = [
  'id',
  'name',
  'provider',
  'phone_number_id',
  'account_id',
  'display_phone',
  'status',
  'rate',
  'created_at',
  'updated_at',
] as const;
export const channelColumns = columns.join(', ');
export type ChannelRow = RowOf<typeof Channel, (typeof columns)[number]>;

const channelsOf = (em: Em, organizationId: string) =>
  tables<TablesOf<typeof Channel>>(em).selectFrom('channels').where('organization_id', '=', organizationId);

export async function findChannel(em: Em, organizationId: string, id: string): Promise<ChannelRow | undefined> {
  return channelsOf(em, organizationId).select(columns).where('id', '=', id).executeTakeFirst();
}

export async function listChannels(
  em: Em,
  organizationId: string,
  { limit, after }: { limit: number; after?: [string, string] },
): Promise<ChannelRow[]> {
  return channelsOf(em, organizationId)
    .select(columns)
    .$if(after !== undefined, (channels) => channels.where(beyond(after!)))
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit + 1)
    .execute();
}

export async function countChannels(em: Em, organizationId: string): Promise<number> {
  const row = await channelsOf(em, organizationId)
    .select((channels) => channels.fn.countAll().as('total'))
    .executeTakeFirst();
  return Number(row?.total ?? 0);
}

export async function countTemplates(em: Em, organizationId: string, channelId: string): Promise<number> {
  const row = await tables<TablesOf<typeof Template>>(em)
    .selectFrom('templates')
    .select((templates) => templates.fn.countAll().as('total'))
    .where('organization_id', '=', organizationId)
    .where('channel_id', '=', channelId)
    .executeTakeFirst();
  return Number(row?.total ?? 0);
}
