import { now } from '../../platform/database/columns.ts';
import type { Own } from '../../platform/database/own.ts';
import { statement } from '../../platform/database/statement.ts';
import type { RowOf } from '../../platform/database/tables.ts';
import type { OwnTx } from '../../platform/ledger/tx.ts';
import { now as presentMs } from '../../platform/time/clock.ts';
import { momentMs } from '../../platform/time/moment.ts';
import type { Booking } from './booking.entity.ts';
import { joined, type Span } from './slots.ts';
import { Staff } from './staff.entity.ts';

const dayMs = 86_400_000;
/** What is left of an entry whose ends the calendar rounded is no busy time. */
const shortestMs = 1_000;

export type Copied = { id: string; calendar_connection_id: string; calendar_id: string };

const whoReads = statement((select, { id }: { id: string }) =>
  select(Staff)
    .select(['id', 'calendar_connection_id', 'calendar_id'])
    .where('id', '=', id)
    .where('reads_busy', '=', true)
    .where('active', '=', true),
);

/** Undefined: nobody wants it any more. */
export async function calendarToCopy(own: Own, staffId: string): Promise<Copied | undefined> {
  const [row] = await whoReads(own, { id: staffId });
  return row?.calendar_connection_id && row.calendar_id !== null ? (row as Copied) : undefined;
}

/** SQL: the highest value over a join. A start is in this window; its buffers, and what takes them, reach a day beyond. */
const horizonStatement = `
  select coalesce(max(s.horizon_days), 60)::int as days
    from service_staff l
    join services s on s.organization_id = l.organization_id and s.id = l.service_id and s.active
   where l.organization_id = $1 and l.staff_id = $2`;

export async function horizonOf(own: Own, staffId: string): Promise<Span> {
  const [row] = await own.sql<{ days: number }>(horizonStatement, [staffId]);
  const start = presentMs() - dayMs;
  return { start, end: start + ((row?.days ?? 60) + 3) * dayMs };
}

/**
 * SQL: a condition over both tables, and times by intervals. What the calendar shows of our own, without the buffers: a booking keeps its time
 * itself. A cancelled one counts until its entry is deleted; a held one has none yet.
 */
const shownStatement = `
  select b.starts_at, b.ends_at
    from bookings b
    left join booking_calendars c on c.organization_id = b.organization_id and c.booking_id = b.id
   where b.organization_id = $1 and b.staff_id = $2
     and b.starts_at > $3::timestamptz - interval '1 day' and b.starts_at < $4
     and (b.status not in ('held', 'cancelled') or b.status = 'cancelled' and c.event_id is not null)`;

export async function shownBookings(own: Own, staffId: string, { start, end }: Span): Promise<Span[]> {
  const rows = await own.sql<RowOf<typeof Booking, 'starts_at' | 'ends_at'>>(shownStatement, [
    staffId,
    new Date(start).toISOString(),
    new Date(end).toISOString(),
  ]);
  return rows.map(({ starts_at, ends_at }) => ({ start: momentMs(starts_at), end: momentMs(ends_at) }));
}

/** The busy times, joined, without those of `own`. */
export function withoutOwn(busy: Span[], own: Span[]): Span[] {
  const left: Span[] = [];
  const taken = joined(own);
  let first = 0;
  for (const { start, end } of joined(busy)) {
    while (first < taken.length && taken[first]!.end <= start) first += 1;
    let from = start;
    for (let at = first; at < taken.length && taken[at]!.start < end; at += 1) {
      left.push({ start: from, end: taken[at]!.start });
      from = taken[at]!.end;
    }
    left.push({ start: from, end });
  }
  return left.filter(({ start, end }) => end - start >= shortestMs);
}

/** SQL: ranges made of two lists, compared and written in one statement. What stays is not written again. */
const replaceStatement = `
  with wanted as (select tstzrange(t.a, t.b) as during from unnest($3::timestamptz[], $4::timestamptz[]) as t (a, b)),
       gone as (
         delete from staff_busy
          where organization_id = $1 and staff_id = $2 and during not in (select during from wanted))
  insert into staff_busy (organization_id, staff_id, during)
  select $1, $2, during
    from wanted
  on conflict do nothing`;

/**
 * SQL: `least` by the database's clock, on the condition of two other tables. An entry that is still to be moved or deleted looks like a time
 * of somebody else: the next look comes soon.
 */
const lookSoonStatement = `
  update staff
     set next_copy_at = least(next_copy_at, clock_timestamp() + interval '1 minute')
   where organization_id = $1 and id = $2
     and exists (
           select 1
             from booking_calendars c
             join bookings b on b.organization_id = c.organization_id and b.id = c.booking_id
            where c.organization_id = $1 and c.status = 'pending' and (b.staff_id = $2 or c.connection_id = $3))`;

/** False, and nothing is written: meanwhile it is another calendar, or nobody wants it. */
export async function replaceBusy(tx: OwnTx, { id, ...calendar }: Copied, busy: Span[]): Promise<boolean> {
  const changed = await tx.update(Staff, { id, ...calendar, reads_busy: true }, { busy_copied_at: now() });
  if (changed === 0) return false;
  const times = (pick: keyof Span) => busy.map((span) => new Date(span[pick]).toISOString());
  await tx.sql(replaceStatement, [id, times('start'), times('end')]);
  await tx.sql(lookSoonStatement, [id, calendar.calendar_connection_id]);
  return true;
}
