import { violatedConstraint } from '../../platform/database/errors.ts';
import { AppError, invalidField } from '../../platform/errors.ts';
import { findBookingOf } from '../bookings/booking-row.ts';
import { wishCalendar } from '../calendar/wish.ts';
import { freeSlot, takeSlot } from '../delivery/slot-usage.ts';
import { lookAround } from '../drafts/around.ts';
import { assertNoFault } from '../drafts/faults.ts';
import { dayFaults, uploadFaults } from '../drafts/priced.ts';
import type { OrderStatus, ShippingAddress } from './order.entity.ts';
import type { OrderTx } from './order-tx.ts';

/** What is not given stays. An empty text empties. */
export type OrderPatch = {
  customer_name?: string;
  customer_email?: string;
  customer_phone?: string;
  delivery_date?: string;
  delivery_timeslot_id?: string;
  shipping_address?: ShippingAddress;
  checkout_uploads?: string[] | null;
  payment_method?: string;
  referral_code?: string;
  notes?: string;
  fulfillment_notes?: string;
  fulfillment_carrier?: string;
  tracking_number?: string;
  tracking_url?: string;
  source_reference?: string;
};

const customer = ['customer_name', 'customer_email', 'customer_phone'] as const;
const untilShipped = [...customer, 'delivery_date', 'delivery_timeslot_id', 'shipping_address'] as const;
const unshipped: OrderStatus[] = ['pending', 'confirmed', 'processing'];

/** Throws 409 for a customer or a delivery of an order that was shipped or is over, and 422. */
export async function patchOrder(tx: OrderTx, patch: OrderPatch): Promise<void> {
  const { order } = tx;
  const late = unshipped.includes(order.status) ? undefined : untilShipped.find((field) => patch[field] !== undefined);
  if (late) throw tooLate(late, order.status);
  const { delivery_date: _day, delivery_timeslot_id: _slot, source_reference, ...plain } = patch;
  if (patch.checkout_uploads)
    assertNoFault(
      uploadFaults(await lookAround(tx, [{ checkout_uploads: patch.checkout_uploads }]), {
        checkout_uploads: patch.checkout_uploads,
      }),
    );
  if (patch.shipping_address) assertSameArea(tx, patch.shipping_address);
  tx.set(plain);
  if (source_reference !== undefined) tx.set({ source_reference: source_reference === '' ? null : source_reference });
  await changeDay(tx, patch);
  tx.tell('changed', { fields: Object.keys(patch).sort() });
  if (customer.some((field) => patch[field] !== undefined && patch[field] !== order[field])) await tellCalendar(tx);
}

function tooLate(field: string, status: OrderStatus) {
  const message = `The order is ${status}: its customer and delivery stay`;
  return new AppError('conflict', message, {
    details: [{ field, location: 'body', code: 'status.shipped', message, value: status }],
  });
}

/** The fee is that of the area. */
function assertSameArea({ order }: OrderTx, given: ShippingAddress): void {
  if (order.rate !== null && given.area_id !== order.shipping_address?.area_id)
    throw invalidField('shipping_address.area_id', 'The rate was chosen for another area', 'rate.area');
}

async function changeDay(tx: OrderTx, { delivery_date, delivery_timeslot_id }: OrderPatch): Promise<void> {
  if (delivery_date === undefined && delivery_timeslot_id === undefined) return;
  const { order } = tx;
  const day = delivery_date ?? order.delivery_date ?? undefined;
  const named = delivery_timeslot_id ?? order.delivery_timeslot_id ?? undefined;
  const asked = {
    delivery_date: day,
    ...(named !== undefined && { delivery_timeslot_id: named }),
    ...(order.delivery_method_id !== null && { delivery_method_id: order.delivery_method_id }),
  };
  const around = await lookAround(tx, [asked]);
  const slot = around.slots.find(({ id }) => id === named);
  const method = around.methods.find(({ id }) => id === order.delivery_method_id);
  // The slot of the sale may be deleted by now, with its method too: then the day alone is changed.
  const slotId = slot || delivery_timeslot_id !== undefined ? named : undefined;
  assertNoFault(dayFaults(around, { ...asked, delivery_timeslot_id: slotId }, method, slot));
  if (day === order.delivery_date && slotId === (order.delivery_timeslot_id ?? undefined)) return;
  if (slot && day !== undefined) await takeSlot(tx, { timeslotId: slot.id, day });
  if (order.delivery_timeslot_id !== null && order.delivery_date !== null)
    await freeSlot(tx, { timeslotId: order.delivery_timeslot_id, day: order.delivery_date });
  tx.set({ delivery_date: day ?? null, ...(slot && { delivery_timeslot_id: slot.id, delivery_timeslot: slot.label }) });
}

async function tellCalendar(tx: OrderTx): Promise<void> {
  const booking = await findBookingOf(tx, tx.order.id);
  if (booking && booking.status !== 'held') await wishCalendar(tx, { orderId: tx.order.id, bookingId: booking.id });
}

/** What an error of the database means to who wrote an order. */
export function refusedReference(error: unknown): Error | undefined {
  if (violatedConstraint(error) !== 'orders_source_reference') return undefined;
  const message = 'Another order has this source_reference';
  return new AppError('conflict', message, {
    details: [{ field: 'source_reference', location: 'body', code: 'reference.taken', message }],
  });
}
