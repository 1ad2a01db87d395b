import type { TenantTransact } from '../../platform/ledger/tenant.ts';
import { findBookingOf } from '../bookings/booking-row.ts';
import { wishCalendar } from '../calendar/wish.ts';
import { findOrder, orderLock } from '../orders/order-row.ts';
import { changeOrder } from '../orders/order-tx.ts';

/**
 * Once more under the order's lock, for who wrote it at the moment of the erasure; and the calendar's entry and its meeting are wished anew,
 * without the person. What is not shown by a calendar yet never will be with them.
 */
export async function forgetInOrders(transact: TenantTransact, orders: string[] = []): Promise<void> {
  for (const id of orders)
    await transact({ locks: [orderLock(id)] }, async ({ own: tx }) => {
      const order = await findOrder(tx, id);
      if (!order) return;
      await changeOrder(tx, { id, actor: '' }, (changed) =>
        changed.set({
          customer_name: '',
          customer_email: '',
          customer_phone: '',
          shipping_address: null,
          notes: '',
          fulfillment_notes: '',
          checkout_uploads: order.checkout_uploads && [],
          cancel_reason: '',
        }),
      );
      const booking = await findBookingOf(tx, id);
      if (booking && booking.status !== 'held') await wishCalendar(tx, { orderId: id, bookingId: booking.id });
    });
}
