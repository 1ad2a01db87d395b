import { now } from '../../platform/database/columns.ts';
import type { OwnTx } from '../../platform/ledger/tx.ts';
import { type BookingRow, findBookingOf } from '../bookings/booking-row.ts';
import { tellBooking } from '../bookings/tell.ts';
import { changeOrder } from '../orders/order-tx.ts';
import { calendarSyncs } from '../tallies.ts';
import { BookingCalendar, type BookingCalendarStatus } from './booking-calendar.entity.ts';

export type CalendarState = { status: BookingCalendarStatus; error?: string };

/**
 * The one way to change what an order says of its calendar: the status, `attention`, and the event unless the caller tells of the booking
 * itself. Needs the order's lock.
 */
export async function setCalendarState(
  tx: OwnTx,
  orderId: string,
  { status, error = '' }: CalendarState,
  isTold = true,
): Promise<void> {
  const booking = await findBookingOf(tx, orderId);
  const calendar = booking && (await tx.findOne(BookingCalendar, { booking_id: booking.id }));
  if (!booking || !calendar) return;
  const before = calendar.status;
  Object.assign(calendar, stateColumns({ status, error }, before));
  await tx.flush();
  await tellState(tx, booking, { status, before: isTold ? before : status });
}

export const stateColumns = ({ status, error = '' }: CalendarState, before: BookingCalendarStatus) => ({
  status,
  error,
  ...(status !== 'pending' && { pending_since: null }),
  ...(status === 'pending' && before !== 'pending' && { pending_since: now() }),
  ...(status === 'synced' && { last_synced_at: now() }),
});

type Moved = { status: BookingCalendarStatus; before: BookingCalendarStatus };

/** What follows from a state that is written: `attention`, and the event if it is another than before. Needs the order's lock. */
export async function tellState(tx: OwnTx, booking: BookingRow, { status, before }: Moved): Promise<void> {
  // One that is asked again counts as failed until it is not.
  if (status !== 'pending')
    await changeOrder(tx, { id: booking.order_id, actor: '' }, (order) => order.attend('calendar_failed', status === 'failed'));
  if (status !== before) await tellBooking(tx, booking, ['calendar_sync_status'], { status });
}

export async function settleFailed(tx: OwnTx, orderId: string, error: string): Promise<void> {
  await setCalendarState(tx, orderId, { status: 'failed', error });
  tx.count(calendarSyncs, 'failed');
}

/** A job that failed is tried again by hand: it must not take the wish for fulfilled. */
export async function wishAgain(tx: OwnTx, orderId: string): Promise<void> {
  const booking = await findBookingOf(tx, orderId);
  const calendar = booking && (await tx.findOne(BookingCalendar, { booking_id: booking.id }));
  if (!calendar) return;
  calendar.wanted = String(BigInt(calendar.wanted) + 1n);
  await setCalendarState(tx, orderId, { status: 'pending' });
}
