import { accountStatementOf } from '../../connections/account.ts';
import type { BatchStatement } from '../../platform/database/batch.ts';
import type { Own } from '../../platform/database/own.ts';
import type { RowOf } from '../../platform/database/tables.ts';
import { bookingUpdated } from '../../platform/events/commerce-events.ts';
import { isHeard } from '../../platform/events/record.ts';
import type { RunRef } from '../../platform/ledger/tx.ts';
import type { Booking, BookingStatus } from '../bookings/booking.entity.ts';
import type { Service } from '../bookings/service.entity.ts';
import type { Order } from '../orders/order.entity.ts';
import type { BookingCalendar, BookingCalendarStatus } from './booking-calendar.entity.ts';

const bookingColumns = ['order_id', 'staff_id', 'mode', 'starts_at', 'ends_at', 'timezone'] as const;
const serviceColumns = ['location', 'conference'] as const;
const orderColumns = ['order_no', 'customer_name', 'customer_email', 'customer_phone'] as const;
const calendarColumns = [
  'status',
  'error',
  'wanted',
  'synced',
  'connection_id',
  'calendar_id',
  'generation',
  'event_id',
  'etag',
  'meet_url',
  'earlier',
  'conference_asked_at',
  'video_connection_id',
  'video_meeting_id',
  'video_url',
  'video_asked_at',
] as const;

export type WishedRow = RowOf<typeof Booking, (typeof bookingColumns)[number]> &
  RowOf<typeof Service, (typeof serviceColumns)[number]> &
  RowOf<typeof Order, (typeof orderColumns)[number]> &
  RowOf<typeof BookingCalendar, (typeof calendarColumns)[number]> & {
    booking_id: string;
    booking_status: BookingStatus;
    is_past: boolean;
    conference_override: string;
    service_name: string;
    staff_name: string;
    staff_email: string;
    staff_connection: string | null;
    staff_calendar: string | null;
    staff_video: string | null;
    is_reachable: boolean;
    is_video_reachable: boolean;
    waited_ms: number | null;
    /** An endpoint listens to what happens to bookings. */
    is_heard: boolean;
  };

const of = (alias: string, columns: readonly string[]) => columns.map((column) => `${alias}.${column}`).join(', ');

/** A link of the caller's own; nothing is made for it. */
export const isOwnLink = (conference: string) => /^https:\/\//i.test(conference);

export type Wished = WishedRow & {
  /** The calendar is to show an entry. */
  hasEvent: boolean;
  /** What the entry is to have beside its text. */
  room: 'none' | 'calendar' | 'video';
  makesMeeting: boolean;
  /** The connection whose pace the job keeps; undefined: nothing to do. */
  pooledBy: { kind: 'calendar' | 'video'; id: string } | undefined;
};

/**
 * SQL: six tables, one of them four times, in one round trip (bench: booking-sync); by the order, or by a job whose order is not known yet.
 * Connections that were deleted are none. An entry is made or moved until a day after the booking's end; one that stands is changed and deleted
 * at any time, so that a person can be taken out of it.
 */
const wishedOfOrder = (order: string) => `
  select ${of('b', bookingColumns)}, ${of('s', serviceColumns)}, ${of('o', orderColumns)}, ${of('c', calendarColumns)},
         b.id as booking_id, b.status as booking_status, b.conference as conference_override,
         b.ends_at < clock_timestamp() - interval '1 day' as is_past,
         s.name as service_name,
         f.name as staff_name, f.email as staff_email,
         k.id as staff_connection, case when k.id is not null then f.calendar_id end as staff_calendar, v.id as staff_video,
         e.id is not null as is_reachable, w.id is not null as is_video_reachable,
         (extract(epoch from clock_timestamp() - c.conference_asked_at) * 1000)::float8 as waited_ms,
         ${isHeard('$1', bookingUpdated.type)} as is_heard
    from bookings b
    join orders o on o.organization_id = b.organization_id and o.id = b.order_id
    join services s on s.organization_id = b.organization_id and s.id = b.service_id
    join staff f on f.organization_id = b.organization_id and f.id = b.staff_id
    join booking_calendars c on c.organization_id = b.organization_id and c.booking_id = b.id
    left join connections k
      on k.organization_id = b.organization_id and k.id = f.calendar_connection_id and k.deleted_at is null
    left join connections v
      on v.organization_id = b.organization_id and v.id = f.video_connection_id and v.deleted_at is null
    left join connections e on e.organization_id = b.organization_id and e.id = c.connection_id and e.deleted_at is null
    left join connections w
      on w.organization_id = b.organization_id and w.id = c.video_connection_id and w.deleted_at is null
   where b.organization_id = $1 and b.order_id = ${order}`;
const wishedStatement = wishedOfOrder('$2');
/** SQL: the same look, in the batch that claims the job. */
const wishedOfJobStatement = wishedOfOrder('(select j.subject_id from jobs j where j.organization_id = $1 and j.id = $2)');

/** SQL: a part of that batch, too: the account of the calendar that the entry belongs into. */
const accountOfJobStatement = accountStatementOf(`(
     select f.calendar_connection_id
       from jobs j
       join bookings b on b.organization_id = j.organization_id and b.order_id = j.subject_id
       join staff f on f.organization_id = b.organization_id and f.id = b.staff_id
      where j.organization_id = $1 and j.id = $2)`);

type JobRef = Pick<RunRef, 'organization_id' | 'id'>;

/** What a sync begins with: what is wished, and the account. */
export const readsOfJob = ({ organization_id, id }: JobRef): BatchStatement[] =>
  [wishedOfJobStatement, accountOfJobStatement].map((text) => ({ text, params: [organization_id, id] }));

/** What the calendar is to show of an order's booking, beside what it shows. Undefined: it has none. */
export async function wishedOf(own: Own, orderId: string): Promise<Wished | undefined> {
  const [row] = await own.sql<WishedRow>(wishedStatement, [orderId]);
  return row && wishedFrom(row);
}

export function wishedFrom(row: WishedRow): Wished {
  const isThere = row.event_id !== null && row.is_reachable;
  const isShown = row.booking_status !== 'held' && row.booking_status !== 'cancelled';
  const hasEvent = isShown && row.staff_connection !== null && (isThere || !row.is_past);
  const room = isShown ? roomOf(row) : 'none';
  const isMeetingThere = row.video_connection_id !== null && row.is_video_reachable;
  const makesMeeting = room === 'video' && row.staff_video !== null && (isMeetingThere || !row.is_past);
  const ofCalendar = hasEvent ? row.staff_connection : isThere ? row.connection_id : (row.earlier[0]?.connection_id ?? null);
  const ofVideo = makesMeeting ? row.staff_video : isMeetingThere ? row.video_connection_id : null;
  const paced = (kind: 'calendar' | 'video', id: string | null) => (id === null ? undefined : { kind, id });
  return { ...row, hasEvent, room, makesMeeting, pooledBy: paced('calendar', ofCalendar) ?? paced('video', ofVideo) };
}

/** What a calendar is that has nothing more to do: without one, and for a time that is only held, nothing was in step. */
export const settledStatus = ({ hasEvent, staff_connection, booking_status }: Wished): BookingCalendarStatus =>
  hasEvent || (staff_connection !== null && booking_status === 'cancelled') ? 'synced' : 'skipped';

function roomOf({ conference_override: override, conference, mode, staff_video }: WishedRow): Wished['room'] {
  if (isOwnLink(override)) return 'none';
  const wish = override === 'none' || override === 'calendar' || override === 'video' ? override : conference;
  if (wish === 'video') return staff_video !== null ? 'video' : 'none';
  return wish === 'calendar' && mode !== 'phone' ? 'calendar' : 'none';
}
