import type { Own } from '../platform/database/own.ts';
import { statement } from '../platform/database/statement.ts';
import type { RowOf } from '../platform/database/tables.ts';
import { notFound } from '../platform/errors.ts';
import { list } from '../platform/listing/paging.ts';
import { Channel } from './channel.entity.ts';

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
export type ChannelRow = RowOf<typeof Channel, (typeof columns)[number]>;

export const listChannels = list((select) => select(Channel).select(columns).where('deleted_at', 'is', null));

const channelById = statement((select, { id }: { id: string }) =>
  select(Channel).select(columns).where('id', '=', id).where('deleted_at', 'is', null),
);

export async function findChannel(own: Own, id: string): Promise<ChannelRow | undefined> {
  const [row] = await channelById(own, { id });
  return row;
}

export async function readChannel(own: Own, id: string): Promise<ChannelRow> {
  const row = await findChannel(own, id);
  if (!row) throw notFound('Channel');
  return row;
}
