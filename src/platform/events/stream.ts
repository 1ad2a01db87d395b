import type { Database } from '../database/database.ts';
import type { Own } from '../database/own.ts';
import type { Reads } from '../listing/reads.ts';
import { type EventFilter, type EventRow, listEvents } from './list.ts';
import { settledSeq } from './settled.ts';

/** `next` is where to read on, also when there is nothing more now. */
export type StreamPage = { rows: EventRow[]; next: string; hasMore: boolean };

/**
 * Oldest first, behind the seq `after`. It ends where events may still be missing, so that whoever reads on from `next` gets each event
 * once, however late its transaction commits.
 */
export async function readStream(
  { database, reads }: { database: Database; reads: Reads },
  own: Own,
  filter: EventFilter,
  { after = '0', limit }: { after?: string; limit: number },
): Promise<StreamPage> {
  const upTo = await settledSeq(database);
  const { rows, end } = await listEvents(reads, own, filter, { order: 'asc', after, upTo: String(upTo), limit });
  const shown = rows.slice(0, limit);
  if (rows.length > limit) return { rows: shown, next: shown.at(-1)!.seq, hasMore: true };
  if (end !== undefined) return { rows: shown, next: end, hasMore: true };
  // Another process may have settled more, and given the client a cursor that is further on.
  const next = upTo > BigInt(after) ? String(upTo) : after;
  return { rows: shown, next, hasMore: false };
}
