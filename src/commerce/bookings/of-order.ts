import { now } from '../../platform/database/columns.ts';
import type { OwnTx } from '../../platform/ledger/tx.ts';
import { now as present } from '../../platform/time/clock.ts';
import { momentMs } from '../../platform/time/moment.ts';
import { wishCalendar } from '../calendar/wish.ts';
import { Booking, type BookingMode, type BookingSource, type BookingStatus } from './booking.entity.ts';
import { type BookingRow, findBookingOf } from './booking-row.ts';
import { chooseTime, type GivenBooking } from './choose.ts';
import { insertBooking } from './place.ts';
import type { ServiceConference } from './service.entity.ts';
import { tellBooking } from './tell.ts';

export type { GivenBooking } from './choose.ts';

/** Without a word of the caller: a service with a video conference is done by video. */
export const modeFor = (conference: ServiceConference): BookingMode => (conference === 'none' ? 'in_person' : 'video');

/**
 * Holds the time for a new order, whose row is written. Throws 422 at the field below `field` (empty: the fields stand alone), 409
 * `slot_taken`. Needs the order's lock, or that it is new.
 */
export async function holdBooking(
  tx: OwnTx,
  { orderId, contactId, source, field }: { orderId: string; contactId: string | null; source: BookingSource; field: string },
  given: GivenBooking,
): Promise<string> {
  // The row of the order may still be waiting to be written.
  await tx.flush();
  const choice = await chooseTime(tx, given, field);
  const id = await insertBooking(tx, { orderId, contactId, field }, choice, {
    status: 'held',
    source,
    mode: given.mode ?? modeFor(choice.service.conference),
    timezone: given.timezone,
    conference: given.video_conference_override ?? '',
  });
  await tellBooking(tx, (await findBookingOf(tx, orderId))!, ['status']);
  return id;
}

/** The order is confirmed: so is its booking, and the calendar is told. Nothing without one. */
export async function confirmBookingOf(tx: OwnTx, orderId: string): Promise<void> {
  const row = await findBookingOf(tx, orderId);
  if (row?.status !== 'held') return;
  await setStatus(tx, row, 'confirmed');
  await wishCalendar(tx, { orderId, bookingId: row.id });
  await tellBooking(tx, { ...row, status: 'confirmed' }, ['status']);
}

/** The order is cancelled, or its time ran out. What took place stays as it is. */
export async function cancelBookingOf(tx: OwnTx, orderId: string): Promise<void> {
  const row = await findBookingOf(tx, orderId);
  if (row?.status !== 'held' && row?.status !== 'confirmed') return;
  await setStatus(tx, row, 'cancelled');
  // No calendar knows of one that was only held.
  if (row.status === 'confirmed') await wishCalendar(tx, { orderId, bookingId: row.id });
  await tellBooking(tx, { ...row, status: 'cancelled' }, ['status']);
}

/** The order is completed: so is its booking, once it has begun. The calendar shows the same. */
export async function completeBookingOf(tx: OwnTx, orderId: string): Promise<void> {
  const row = await findBookingOf(tx, orderId);
  if (row?.status !== 'checked_in' && row?.status !== 'confirmed') return;
  if (momentMs(row.starts_at) > present()) return;
  await setStatus(tx, row, 'completed');
  await tellBooking(tx, { ...row, status: 'completed' }, ['status']);
}

const setStatus = (tx: OwnTx, { id }: BookingRow, status: BookingStatus) =>
  tx.update(Booking, { id }, { status, updated_at: now() });
