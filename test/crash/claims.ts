import type { Database } from '../../src/platform/database/database.ts';
import { query } from '../../src/platform/database/query.ts';

/** When each message of a channel was claimed to be sent, in ms by the database's clock, in order; by the message's id. */
export async function claimsById(database: Database, channelId: string, since = 0): Promise<Map<string, number>> {
  const rows = await query<{ id: string; at: number }>(
    database.em(),
    `select id, extract(epoch from sending_at)::float8 * 1000 as at from messages
     where channel_id = $1 and sending_at >= to_timestamp($2 / 1000.0) order by sending_at`,
    [channelId, since],
  );
  return new Map(rows.map(({ id, at }) => [id, at]));
}

export const claims = async (database: Database, channelId: string, since = 0): Promise<number[]> => [
  ...(await claimsById(database, channelId, since)).values(),
];

/** The most of these times, in order, that lie in any one second. */
export function maxInOneSecond(times: number[]): number {
  let from = 0;
  let max = 0;
  for (const [index, at] of times.entries()) {
    while (at - times[from]! >= 1_000) from += 1;
    max = Math.max(max, index - from + 1);
  }
  return max;
}
