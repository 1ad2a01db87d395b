import { type Em, query } from '../database.ts';
import type { ChannelStatus } from './channel.entity.ts';

export type ChannelRow = {
  id: string;
  name: string;
  provider: string;
  phone_number_id: string;
  account_id: string;
  display_phone: string;
  status: ChannelStatus;
  rate: number;
  created_at: string;
  updated_at: string;
};
export const channelColumns =
  'id, name, provider, phone_number_id, account_id, display_phone, status, rate, created_at, updated_at';

export async function findChannel(em: Em, organizationId: string, id: string): Promise<ChannelRow | undefined> {
  const [row] = await query<ChannelRow>(em, `select ${channelColumns} from channels where organization_id = $1 and id = $2`, [
    organizationId,
    id,
  ]);
  return row;
}

export async function listChannels(
  em: Em,
  organizationId: string,
  { limit, after }: { limit: number; after?: [string, string] },
): Promise<ChannelRow[]> {
  const beyond = after ? 'and (created_at, id) < ($3::timestamptz, $4::uuid)' : '';
  return query<ChannelRow>(
    em,
    `select ${channelColumns} from channels where organization_id = $1 ${beyond} order by created_at desc, id desc limit $2`,
    [organizationId, limit + 1, ...(after ?? [])],
  );
}

export async function countChannels(em: Em, organizationId: string): Promise<number> {
  const [row] = await query<{ total: number }>(em, 'select count(*)::int as total from channels where organization_id = $1', [
    organizationId,
  ]);
  return row?.total ?? 0;
}
