import { randomBytes } from 'node:crypto';
import { now } from '../../platform/database/columns.ts';
import type { Own } from '../../platform/database/own.ts';
import { statement } from '../../platform/database/statement.ts';
import { AppError, notFound } from '../../platform/errors.ts';
import { sha256 } from '../../platform/secrets.ts';
import { now as present } from '../../platform/time/clock.ts';
import { iso, momentMs } from '../../platform/time/moment.ts';
import type { OrderTx } from '../orders/order-tx.ts';
import { stateConflict } from '../state-conflict.ts';
import { Booking } from './booking.entity.ts';
import { type BookingRow, bookingColumns, getBookingOf } from './booking-row.ts';
import { tellBooking } from './tell.ts';

const hour = 3_600_000;
/** A check-in is not taken earlier than this before the start. */
const earliestMs = 24 * hour;

const prefix = 'ci_';
export const exampleCheckinToken = `${prefix}${'A'.repeat(32)}`;

const hashOf = (token: string) => sha256(token).toString('hex');

/** Takes the place of the token before. Only its hash is kept: it is shown this once. Throws 422 `booking_required`, 409. */
export async function makeCheckinToken(order: OrderTx): Promise<{ bookingId: string; token: string }> {
  const row = await getBookingOf(order, order.order.id);
  if (row.status !== 'held' && row.status !== 'confirmed')
    throw stateConflict(`The booking is ${row.status}: it needs no token`, { value: row.status });
  const token = `${prefix}${randomBytes(24).toString('base64url')}`;
  await order.update(Booking, { id: row.id }, { checkin_token_hash: hashOf(token), updated_at: now() });
  return { bookingId: row.id, token };
}

const byToken = statement((select, { hash }: { hash: string }) =>
  select(Booking).select(bookingColumns).where('checkin_token_hash', '=', hash),
);

/** Throws 404. */
export async function bookingOfCheckin(own: Own, token: string): Promise<BookingRow> {
  const [row] = await byToken(own, { hash: hashOf(token) });
  if (!row) throw notFound('Booking');
  return row;
}

/** Again is nothing: the first time stays. Throws 404, and 409 unless it is confirmed and begins within a day. */
export async function checkIn(order: OrderTx, token: string): Promise<void> {
  const row = await bookingOfCheckin(order, token);
  if (row.checked_in_at !== null) return;
  if (row.status !== 'confirmed')
    throw stateConflict(`The booking is ${row.status}: it cannot become checked_in`, { value: row.status });
  if (momentMs(row.starts_at) - present() > earliestMs)
    throw new AppError('conflict', 'Too early: check in at most 24 hours before the booking begins', {
      details: [{ code: 'booking.early', message: 'It begins later', value: iso(row.starts_at) }],
    });
  await order.update(Booking, { id: row.id }, { status: 'checked_in', checked_in_at: now(), updated_at: now() });
  await told(order, row.id, 'checked_in');
}

/** Again is nothing. Throws 422 `booking_required`, 409 unless it is confirmed and has begun. */
export async function missBooking(order: OrderTx): Promise<void> {
  const row = await getBookingOf(order, order.order.id);
  if (row.status === 'no_show') return;
  if (row.status !== 'confirmed')
    throw stateConflict(`The booking is ${row.status}: it cannot become no_show`, { value: row.status });
  if (momentMs(row.starts_at) > present())
    throw stateConflict('The booking has not begun: it cannot become no_show', { value: row.status });
  await order.update(Booking, { id: row.id }, { status: 'no_show', updated_at: now() });
  await told(order, row.id, 'no_show');
}

async function told(order: OrderTx, id: string, status: 'checked_in' | 'no_show'): Promise<void> {
  order.tell('booking', { booking_id: id, status });
  await tellBooking(order, await getBookingOf(order, order.order.id), ['status']);
}
