import type { Own } from '../database/own.ts';
import { statement } from '../database/statement.ts';
import type { RowOf } from '../database/tables.ts';
import { AppError, invalidField, notFound } from '../errors.ts';
import type { OwnTx } from '../ledger/tx.ts';
import { EventCursor } from './event-cursor.entity.ts';
import { seqSince } from './list.ts';

const columns = ['name', 'seq', 'event_at', 'lost_until', 'created_at', 'acked_at'] as const;
export type EventCursorRow = RowOf<typeof EventCursor, (typeof columns)[number]>;

export const maxEventCursors = 50;

const cursorByName = statement((select, { name }: { name: string }) =>
  select(EventCursor).select(columns).where('name', '=', name),
);
const allCursors = statement((select) => select(EventCursor).select(columns).orderBy('name').limit(maxEventCursors));

/** All of them, by name. */
export const listEventCursors = (own: Own): Promise<EventCursorRow[]> => allCursors(own, {});

export async function getEventCursor(own: Own, name: string): Promise<EventCursorRow> {
  const [cursor] = await cursorByName(own, { name });
  if (!cursor) throw notFound('Event cursor');
  return cursor;
}

/** The time of the last event up to a seq. SQL: shared by two statements with `on conflict` and `greatest`. */
const eventAt = (seq: string) => `(
       select e.created_at
         from events e
        where e.organization_id = $1 and e.seq <= ${seq}
        order by e.seq desc
        limit 1)`;
const returned = columns.map((column) => `c.${column}`).join(', ');

/** Begins at the oldest event that is kept, or at the first since a time. Throws 409 for a name that is taken. */
export async function createEventCursor(tx: OwnTx, name: string, since: string | undefined): Promise<EventCursorRow> {
  await assertRoom(tx);
  const first = since === undefined ? 1n : BigInt(await seqSince(tx, since));
  const [row] = await tx.sql<EventCursorRow>(
    `insert into event_cursors as c (organization_id, name, seq, event_at)
     values ($1, $2, $3::bigint, ${eventAt('$3::bigint')})
     on conflict do nothing
     returning ${returned}`,
    [name, String(first - 1n)],
  );
  if (!row) throw new AppError('conflict', 'There is an event cursor of this name');
  return row;
}

/**
 * It never goes back: an answer that arrives late, or twice, does no harm. One that is ahead of all events, as after the database was put back to
 * an older copy, would skip all that are to come. Throws 404, 422.
 */
export async function ackEvents(tx: OwnTx, name: string, seq: string): Promise<EventCursorRow> {
  const [row] = await tx.sql<EventCursorRow>(
    `update event_cursors c
        set seq = greatest(c.seq, $3::bigint),
            event_at = ${eventAt('greatest(c.seq, $3::bigint)')},
            acked_at = clock_timestamp()
      where c.organization_id = $1 and c.name = $2 and $3::bigint <= (select last_value from events_seq_seq)
     returning ${returned}`,
    [name, seq],
  );
  if (row) return row;
  await getEventCursor(tx, name);
  throw invalidField('cursor', 'The cursor is ahead of all events: read again from where the named cursor is', 'ahead');
}

/** SQL: a row lock on the organization, so that concurrent requests cannot exceed the maximum. */
async function assertRoom(tx: OwnTx): Promise<void> {
  await tx.sql(
    `select 1
       from organizations
      where id = $1
        for no key update`,
  );
  if ((await listEventCursors(tx)).length >= maxEventCursors)
    throw new AppError('limit_reached', `An organization has at most ${maxEventCursors} event cursors: delete one first`);
}

export async function deleteEventCursor(tx: OwnTx, name: string): Promise<void> {
  const deleted = await tx.delete(EventCursor, { name });
  if (deleted === 0) throw notFound('Event cursor');
}
