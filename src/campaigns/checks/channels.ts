import { sql } from 'kysely';
import { Channel } from '../../channels/channel.entity.ts';
import type { Runs } from '../../platform/database/own.ts';
import { statement } from '../../platform/database/statement.ts';
import type { RowOf } from '../../platform/database/tables.ts';
import type { Fault } from '../../templates/faults.ts';

export const maxChannels = 20;

/** Of one that is there and cannot send now. */
export const channelStatus = 'channel.status';

export type ChannelOf = RowOf<typeof Channel, 'id' | 'name' | 'status'>;

const byIds = statement((select, { ids }: { ids: string[] }) =>
  select(Channel)
    .select(['id', 'name', 'status'])
    .where('id', '=', sql<string>`any(${ids}::uuid[])`)
    .where('deleted_at', 'is', null),
);

/** In the order of the ids, those that are there. */
export async function channelsOf(own: Runs, ids: string[]): Promise<ChannelOf[]> {
  const found = new Map((await byIds(own, { ids })).map((row) => [row.id, row]));
  return ids.flatMap((id) => found.get(id) ?? []);
}

/** `isStarting`: each must be able to send. */
export function channelFaults(ids: string[], found: ChannelOf[], isStarting: boolean): Fault[] {
  const known = new Map(found.map((channel) => [channel.id, channel]));
  const faults = ids.flatMap((id, index): Fault[] => {
    const path = ['channel_ids', index];
    const channel = known.get(id);
    if (!channel) return [{ path, code: 'channel.unknown', message: 'There is no such channel' }];
    if (!isStarting || channel.status === 'connected') return [];
    return [{ path, code: channelStatus, message: `The channel ${channel.name} cannot send: it is ${channel.status}` }];
  });
  if (isStarting && ids.length === 0)
    faults.push({ path: ['channel_ids'], code: 'any.required', message: 'A campaign needs a channel' });
  return faults;
}
