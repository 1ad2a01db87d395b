import { AppError } from '../../platform/errors.ts';
import { restockOrder } from '../catalogue/stock.ts';
import { liveShipment } from '../shipping/shipment-row.ts';
import { stateConflict } from '../state-conflict.ts';
import type { OrderTx } from './order-tx.ts';

/**
 * What had left the house is back and can be sold again, all of it, once. By hand alone: what a courier brings back may be broken, and what is
 * refunded may never come back. Throws 409 for an order of which nothing has left, and while a parcel of it is on its way there.
 */
export async function restock(order: OrderTx): Promise<void> {
  const { id, status, stock } = order.present();
  if (isRestocked(order)) return;
  if (stock !== 'committed')
    throw stateConflict(`The order is ${status}: nothing of it has left the house`, { code: 'stock.not_left', value: status });
  const live = await liveShipment(order, id);
  if (live && live.provider_status !== 'return_in_transit') {
    const message = `The order has a shipment: it is ${live.provider_status || live.status}`;
    throw new AppError('conflict', message, { details: [{ code: 'shipment.live', message, value: live.id }] });
  }
  await restockOrder(order, id, order.actor);
  order.set({ stock: 'released' });
  // The parcel that came back, or was lost, is dealt with.
  order.attend('shipment_failed', false);
  order.tell('restock');
}

/** The pieces may be another order's by now. Throws 409. */
export function assertNotRestocked(order: OrderTx): void {
  if (isRestocked(order)) throw new AppError('conflict', 'What the order had taken is back in stock: it is not sent again');
}

/** A cancelled order gave back what had never left. */
function isRestocked(order: OrderTx): boolean {
  const { status, stock } = order.present();
  return stock === 'released' && status !== 'cancelled';
}
