import type { Own } from '../platform/database/own.ts';
import { now } from '../platform/time/clock.ts';
import { countedNow, countedTogether, type Snapshot } from './kept-counts.ts';
import { type RecipientStatus, recipientStatuses } from './states.ts';

export type Counts = { total: number } & Record<RecipientStatus, number>;
/** `in_flight`: messages that are made and neither sent nor failed. `as_of`: when it was counted. */
export type Counted = { counts: Counts; in_flight: number; as_of: string };

export function countsFrom(byStatus: Record<string, number>): Counts {
  const counts = Object.fromEntries(recipientStatuses.map((status) => [status, byStatus[status] ?? 0]));
  return { total: totalOf(byStatus), ...counts } as Counts;
}

/** Cumulative: a recipient who has read the message is in all three. */
export const reachedFrom = ({ sent, delivered, read }: Counts) => ({
  sent: sent + delivered + read,
  delivered: delivered + read,
  read,
});

const totalOf = (byStatus: Record<string, number>) => Object.values(byStatus).reduce((sum, count) => sum + count, 0);

const countedFrom = ({ value, at }: Snapshot<Record<string, number>>): Counted => {
  const counts = countsFrom(value);
  return { counts, in_flight: counts.queued, as_of: new Date(at).toISOString() };
};

/** Exact up to 50,000 recipients, above that about 5 seconds old. Once the recipients are purged, as they were. */
export async function countsOf(own: Own, { id }: { id: string }): Promise<Counted> {
  const counted = await countedNow<Record<string, number>>(own, id, { kind: 'counts', totalOf });
  return countedFrom(counted ?? { value: {}, at: new Date(now()).toISOString() });
}

/** The same of a page of campaigns, by their ids. One statement for all but those of many recipients, which keep a count. */
export async function countsOfPage(own: Own, ids: string[]): Promise<Map<string, Counted>> {
  const few = await countedTogether<Record<string, number>>(own, ids, totalOf);
  const page = new Map([...few].map(([id, counted]) => [id, countedFrom(counted)]));
  for (const id of ids) if (!page.has(id)) page.set(id, await countsOf(own, { id }));
  return page;
}
