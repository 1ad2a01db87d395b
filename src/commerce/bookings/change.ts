import { now } from '../../platform/database/columns.ts';
import { AppError } from '../../platform/errors.ts';
import { now as present } from '../../platform/time/clock.ts';
import { iso, momentMs } from '../../platform/time/moment.ts';
import { wishCalendar } from '../calendar/wish.ts';
import type { OrderTx } from '../orders/order-tx.ts';
import { stateConflict } from '../state-conflict.ts';
import { Booking, type BookingMode, type BookingSource, type BookingStatus } from './booking.entity.ts';
import { type BookingRow, findBookingOf, getBookingOf } from './booking-row.ts';
import { chooseTime, type GivenBooking } from './choose.ts';
import { modeFor } from './of-order.ts';
import { insertBooking, moveBooking } from './place.ts';
import { tellBooking } from './tell.ts';

export type BookingPatch = {
  service_id?: string;
  /** null: whoever is free. Absent: who has it stays. */
  staff_id?: string | null;
  starts_at?: string;
  mode?: BookingMode;
  timezone?: string;
  video_conference_override?: string;
};

/** A pending order only holds the time. Throws 409 where the order takes no booking any more. */
function statusFor({ order }: OrderTx): BookingStatus {
  if (order.status === 'pending') return 'held';
  if (order.status === 'completed' || order.status === 'cancelled')
    throw stateConflict(`The order is ${order.status}: its booking cannot be changed`, { value: order.status });
  return 'confirmed';
}

const live = (row: BookingRow) => row.status === 'held' || row.status === 'confirmed';

/** Books for an order that has none, or a cancelled one. Throws 422 at the field, 409. */
export async function makeBooking(order: OrderTx, given: GivenBooking, source: BookingSource): Promise<void> {
  const status = statusFor(order);
  const { id: orderId, contact_id: contactId } = order.order;
  const before = await findBookingOf(order, orderId);
  if (before && before.status !== 'cancelled')
    throw stateConflict(`The order has a booking that is ${before.status}: change that one`, { value: before.status });
  const choice = await chooseTime(order, given, '', before?.id);
  const placed = {
    status,
    source,
    mode: given.mode ?? modeFor(choice.service.conference),
    timezone: given.timezone,
    conference: given.video_conference_override ?? '',
  };
  if (before) {
    await moveBooking(order, { id: before.id, field: '' }, choice, placed);
    await order.update(Booking, { id: before.id }, { checkin_token_hash: null, checked_in_at: null });
  } else {
    await insertBooking(order, { orderId, contactId, field: '' }, choice, placed);
  }
  await told(order, ['status', 'starts_at', 'staff_id']);
}

/** Throws 422 at the field, 422 `booking_required`, 409. */
export async function changeBooking(order: OrderTx, patch: BookingPatch, source: BookingSource): Promise<void> {
  const status = statusFor(order);
  const row = await getBookingOf(order, order.order.id);
  if (!live(row)) throw stateConflict(`The booking is ${row.status}: it cannot be changed`, { value: row.status });
  const { mode = row.mode, timezone = row.timezone, video_conference_override: conference = row.conference } = patch;
  if (isElsewhere(row, patch)) {
    const choice = await chooseTime(order, wished(row, patch), '', row.id);
    await moveBooking(order, { id: row.id, field: '' }, choice, { status, source, mode, timezone, conference });
  } else {
    await order.update(Booking, { id: row.id }, { mode, timezone, conference, updated_at: now() });
  }
  const after = await getBookingOf(order, order.order.id);
  const changed = changedBetween(row, after);
  if (changed.length > 0) await told(order, changed);
}

function isElsewhere(row: BookingRow, { service_id, staff_id, starts_at }: BookingPatch): boolean {
  return (
    (service_id !== undefined && service_id !== row.service_id) ||
    (staff_id !== undefined && staff_id !== row.staff_id) ||
    (starts_at !== undefined && momentMs(starts_at) !== momentMs(row.starts_at))
  );
}

/** Who has it stays, unless another service is asked for: then whoever does that. */
function wished(row: BookingRow, patch: BookingPatch): GivenBooking {
  const service_id = patch.service_id ?? row.service_id;
  const kept = service_id === row.service_id ? row.staff_id : undefined;
  return {
    service_id,
    staff_id: patch.staff_id === null ? undefined : (patch.staff_id ?? kept),
    starts_at: patch.starts_at ?? iso(row.starts_at),
  };
}

/** By their names in the API. */
function changedBetween(before: BookingRow, after: BookingRow): string[] {
  const names = { conference: 'video_conference_override' } as Record<string, string>;
  const columns = ['conference', 'mode', 'service_id', 'staff_id', 'starts_at', 'status', 'timezone'] as const;
  return columns.filter((column) => before[column] !== after[column]).map((column) => names[column] ?? column);
}

/** Again is nothing. Throws 422 `booking_required`, 409 for one that took place. */
export async function cancelBooking(order: OrderTx): Promise<void> {
  const row = await getBookingOf(order, order.order.id);
  if (row.status === 'cancelled') return;
  if (!live(row)) throw stateConflict(`The booking is ${row.status}: it cannot be cancelled`, { value: row.status });
  await order.update(Booking, { id: row.id }, { status: 'cancelled', updated_at: now() });
  await told(order, ['status'], row.status === 'held');
}

/** A customer changes the booking until so long before its start; then the store does. Throws 409. */
export function assertInTime({ starts_at }: Pick<BookingRow, 'starts_at'>, untilMinutes: number): void {
  if (present() <= changeableUntil(starts_at, untilMinutes)) return;
  throw new AppError('conflict', `A booking can be changed until ${untilMinutes} minutes before it begins`, {
    details: [{ code: 'booking.late', message: 'Ask the store to change it' }],
  });
}

export const changeableUntil = (startsAt: string, untilMinutes: number) => momentMs(startsAt) - untilMinutes * 60_000;

/** The timeline, the calendar and the event. No calendar knows of a booking that was only held. */
async function told(order: OrderTx, changed: string[], wasHeld = false): Promise<void> {
  const row = (await findBookingOf(order, order.order.id))!;
  order.tell('booking', {
    booking_id: row.id,
    status: row.status,
    starts_at: iso(row.starts_at),
    staff_id: row.staff_id,
    source: row.source,
    changed,
  });
  if (row.status !== 'held' && !wasHeld) await wishCalendar(order, { orderId: row.order_id, bookingId: row.id });
  await tellBooking(order, row, changed);
}
