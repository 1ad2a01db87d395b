import type { Own } from '../platform/database/own.ts';
import { now } from '../platform/time/clock.ts';
import { countedNow } from './kept-counts.ts';
import { type RecipientStatus, recipientStatuses } from './states.ts';

export type Counts = { total: number } & Record<RecipientStatus, number>;
/** `in_flight`: messages that are made and neither sent nor failed. `as_of`: when it was counted. */
export type Counted = { counts: Counts; in_flight: number; as_of: string };

export function countsFrom(byStatus: Record<string, number>): Counts {
  const counts = Object.fromEntries(recipientStatuses.map((status) => [status, byStatus[status] ?? 0]));
  return { total: totalOf(byStatus), ...counts } as Counts;
}

const totalOf = (byStatus: Record<string, number>) => Object.values(byStatus).reduce((sum, count) => sum + count, 0);

/** Exact up to 50,000 recipients, above that about 5 seconds old. Once the recipients are purged, as they were. */
export async function countsOf(own: Own, { id }: { id: string }): Promise<Counted> {
  const counted = await countedNow<Record<string, number>>(own, id, 'counts', totalOf);
  const counts = countsFrom(counted?.value ?? {});
  return {
    counts,
    in_flight: counts.queued,
    as_of: counted ? new Date(counted.at).toISOString() : new Date(now()).toISOString(),
  };
}
