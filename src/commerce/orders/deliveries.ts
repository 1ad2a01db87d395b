import { stateConflict } from '../state-conflict.ts';
import type { OrderTx } from './order-tx.ts';

/** One of the deliveries that were paid for was made. Throws 409 when none is left, or the order is cancelled. */
export function countDelivery(order: OrderTx): void {
  const { status, prepaid_deliveries_remaining: remaining } = order.present();
  if (status === 'cancelled') throw stateConflict('The order is cancelled', { code: 'status.cancelled' });
  if (remaining === null) throw stateConflict('The order has no prepaid deliveries', { code: 'deliveries.none' });
  if (remaining === 0) throw stateConflict('All prepaid deliveries were made', { code: 'deliveries.used' });
  order.set({ prepaid_deliveries_remaining: remaining - 1 });
  order.tell('delivery', { prepaid_deliveries_remaining: remaining - 1 });
}
