import { isConnectionThere } from '../../connections/queries.ts';
import { AppError, notFound } from '../../platform/errors.ts';
import type { OrderTx } from '../orders/order-tx.ts';
import { stateConflict } from '../state-conflict.ts';
import { takeMeaning } from './apply.ts';
import { parcelOf } from './parcel.ts';
import { Shipment } from './shipment.entity.ts';
import { isNewest, type ShipmentRecord } from './shipment-row.ts';
import { liveStatuses } from './statuses.ts';
import { changeShipment } from './told.ts';

/** How a person found that it ended. `cancelled`: called off, or never ordered. */
export const foundShipments = ['cancelled', 'delivered', 'returned'] as const;
export type FoundShipment = (typeof foundShipments)[number];

/**
 * By a person who looked at the shipper, where Kanal can ask nobody any more: the shipment's connection was deleted, or the person that its
 * reference would be asked with was erased. What was said already is nothing. Throws 404; 409 while the shipper can be asked, and for a shipment that has ended otherwise. The caller flushes.
 */
export async function settleShipment(order: OrderTx, id: string, found: FoundShipment): Promise<void> {
  const shipment = await order.findOne(Shipment, { id, order_id: order.order.id });
  if (!shipment) throw notFound('Shipment');
  const { status } = shipment;
  if (status === found) return;
  if (!liveStatuses.includes(status)) throw stateConflict(`The shipment is ${status}`, { value: status });
  if (await canBeAsked(order, shipment))
    throw stateConflict('The shipper can still be asked: its word decides', { code: 'shipment.answerable', value: status });
  await changeShipment(order, shipment, async () => {
    shipment.failure = null;
    await takeMeaning(order, shipment, found, { isOrders: await isNewest(order, shipment), isWished: true });
    // Whoever says so has looked at it. What came back is to be sent again or put back into stock.
    order.attend('shipment_failed', found === 'returned');
  });
}

/** One whose creation had no answer is found only by ordering it again under its reference, for which the order must still say to whom. */
async function canBeAsked(order: OrderTx, shipment: ShipmentRecord): Promise<boolean> {
  if (!(await isConnectionThere(order, shipment.connection_id))) return false;
  if (shipment.shipper_order_id !== null || shipment.failure === null) return true;
  try {
    await parcelOf(order, order.order, shipment);
    return true;
  } catch (error) {
    if (error instanceof AppError && error.status === 422) return false;
    throw error;
  }
}
