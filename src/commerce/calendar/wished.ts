import { accountStatementOf } from '../../connections/account.ts';
import type { BatchStatement } from '../../platform/database/batch.ts';
import type { Own } from '../../platform/database/own.ts';
import { bookingUpdated } from '../../platform/events/commerce-events.ts';
import { isHeard } from '../../platform/events/record.ts';
import type { RunRef } from '../../platform/ledger/tx.ts';
import type { BookingMode, BookingStatus } from '../bookings/booking.entity.ts';
import type { ServiceConference } from '../bookings/service.entity.ts';
import type { BookingCalendarStatus, EarlierEvent } from './booking-calendar.entity.ts';

export type WishedRow = {
  booking_id: string;
  order_id: string;
  booking_status: BookingStatus;
  mode: BookingMode;
  starts_at: string;
  ends_at: string;
  is_past: boolean;
  timezone: string;
  conference_override: string;
  service_name: string;
  location: string;
  conference: ServiceConference;
  staff_id: string;
  staff_name: string;
  staff_email: string;
  staff_connection: string | null;
  staff_calendar: string | null;
  staff_video: string | null;
  order_no: string;
  customer_name: string;
  customer_email: string;
  customer_phone: string;
  status: BookingCalendarStatus;
  error: string;
  wanted: string;
  synced: string;
  connection_id: string | null;
  is_reachable: boolean;
  calendar_id: string | null;
  generation: number;
  event_id: string | null;
  etag: string | null;
  meet_url: string;
  earlier: EarlierEvent[];
  video_connection_id: string | null;
  is_video_reachable: boolean;
  conference_asked_at: string | null;
  waited_ms: number | null;
  video_meeting_id: string | null;
  video_url: string;
  video_asked_at: string | null;
  /** An endpoint listens to what happens to bookings. */
  is_heard: boolean;
};

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
 * SQL: four records of one booking in one look, by the order. Connections that were deleted are none. An entry is made or moved until a day
 * after the booking's end; one that stands is changed and deleted at any time, so that a person can be taken out of it.
 */
const wishedOfOrder = (order: string) => `
  select b.id as booking_id, b.order_id, b.staff_id, b.status as booking_status, b.mode, b.starts_at, b.ends_at, b.timezone,
         b.ends_at < clock_timestamp() - interval '1 day' as is_past,
         b.conference as conference_override,
         s.name as service_name, s.location, s.conference,
         f.name as staff_name, f.email as staff_email,
         k.id as staff_connection, case when k.id is not null then f.calendar_id end as staff_calendar, v.id as staff_video,
         o.order_no, o.customer_name, o.customer_email, o.customer_phone,
         c.status, c.error, c.wanted::text, c.synced::text, c.connection_id, c.calendar_id, c.generation, c.event_id, c.etag,
         e.id is not null as is_reachable, c.meet_url, c.earlier, c.conference_asked_at,
         (extract(epoch from clock_timestamp() - c.conference_asked_at) * 1000)::float8 as waited_ms,
         c.video_connection_id, w.id is not null as is_video_reachable, c.video_meeting_id, c.video_url, c.video_asked_at,
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
/** SQL: with the claim of its job, before the order is known. */
const wishedOfJobStatement = wishedOfOrder('(select j.subject_id from jobs j where j.organization_id = $1 and j.id = $2)');

/** SQL: the account of the calendar that the entry belongs into, before the order is known. */
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
