import type { OrderFulfillmentStatus } from './order.entity.ts';
import type { OrderTx } from './order-tx.ts';

/** Of one shipment: what is told late, or twice, changes nothing. A parcel that was given up may still arrive. */
const ranks: Record<OrderFulfillmentStatus, number> = {
  unfulfilled: 0,
  requested: 1,
  shipped: 2,
  failed: 3,
  delivered: 4,
  returned: 5,
};

/** Returns whether it rose. */
export function raiseFulfillment(order: OrderTx, to: OrderFulfillmentStatus): boolean {
  const { fulfillment_status: from } = order.present();
  if (ranks[to] <= ranks[from]) return false;
  order.set({ fulfillment_status: to });
  order.tell('fulfillment_status', { from, to });
  return true;
}

/** Another shipment takes the place of one that failed, was cancelled or came back: it begins at its own beginning. */
export function restartFulfillment(order: OrderTx, to: 'unfulfilled' | 'requested'): void {
  const { fulfillment_status: from } = order.present();
  if (from === to) return;
  order.set({ fulfillment_status: to });
  order.tell('fulfillment_status', { from, to });
}
