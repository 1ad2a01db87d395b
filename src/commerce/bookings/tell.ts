import { bookingUpdated } from '../../platform/events/commerce-events.ts';
import type { OwnTx } from '../../platform/ledger/tx.ts';
import { iso } from '../../platform/time/moment.ts';
import { BookingCalendar, type BookingCalendarStatus } from '../calendar/booking-calendar.entity.ts';
import type { BookingRow } from './booking-row.ts';

type Told = Pick<BookingRow, 'id' | 'order_id' | 'status' | 'starts_at' | 'staff_id'>;

type Known = { status: BookingCalendarStatus; isHeard?: boolean };

/** Emits `commerce.booking.updated`, with what the calendar is at that moment: `known`, or read. Needs the order's lock. */
export async function tellBooking(tx: OwnTx, row: Told, changed: string[], known?: Known): Promise<void> {
  const status = known?.status ?? (await calendarOf(tx, row.id));
  const data = {
    order_id: row.order_id,
    booking_id: row.id,
    status: row.status,
    starts_at: iso(row.starts_at),
    staff_id: row.staff_id,
    calendar_sync_status: status,
    organization_id: tx.organizationId,
    changed,
  };
  tx.emit(bookingUpdated, data, { isHeard: known?.isHeard });
}

async function calendarOf(tx: OwnTx, bookingId: string): Promise<BookingCalendarStatus | ''> {
  await tx.flush();
  const [calendar] = await tx.select(BookingCalendar).select(['status']).where('booking_id', '=', bookingId).execute();
  return calendar?.status ?? '';
}
