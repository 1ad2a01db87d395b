import type { Own } from '../../platform/database/own.ts';
import { statement } from '../../platform/database/statement.ts';
import type { RowOf } from '../../platform/database/tables.ts';
import { AppError } from '../../platform/errors.ts';
import { Booking, type BookingStatus } from './booking.entity.ts';

export const bookingColumns = [
  'id',
  'order_id',
  'service_id',
  'staff_id',
  'contact_id',
  'status',
  'mode',
  'source',
  'starts_at',
  'ends_at',
  'timezone',
  'conference',
  'checkin_token_hash',
  'checked_in_at',
  'schedule_updated_at',
  'created_at',
  'updated_at',
] as const;

export type BookingRow = RowOf<typeof Booking, (typeof bookingColumns)[number]>;

/** They keep others from the time. */
export const liveStatuses: BookingStatus[] = ['held', 'confirmed', 'checked_in'];

const ofOrder = statement((select, { orderId }: { orderId: string }) =>
  select(Booking).select(bookingColumns).where('order_id', '=', orderId),
);

/** An order has at most one, a cancelled one included. */
export async function findBookingOf(own: Own, orderId: string): Promise<BookingRow | undefined> {
  const [row] = await ofOrder(own, { orderId });
  return row;
}

/** Throws 422 `booking_required`. */
export async function getBookingOf(own: Own, orderId: string): Promise<BookingRow> {
  const row = await findBookingOf(own, orderId);
  if (!row) throw new AppError('booking_required', 'The order has no booking');
  return row;
}
