import { usableConnection } from '../../connections/use.ts';
import { AppError, invalidField } from '../../platform/errors.ts';
import { uuidv7 } from '../../platform/ids.ts';
import type { OwnTx } from '../../platform/ledger/tx.ts';
import { shipperPool } from '../delivery/shipper-pool.ts';
import { restartFulfillment } from '../orders/fulfilment.ts';
import { moveOrder } from '../orders/moves.ts';
import { orderLane } from '../orders/order-row.ts';
import { changeOrder, type OrderTx } from '../orders/order-tx.ts';
import { assertNotRestocked } from '../orders/restock.ts';
import { createShipmentJob } from './jobs.ts';
import { parcelOf } from './parcel.ts';
import { Shipment } from './shipment.entity.ts';
import { liveShipment } from './shipment-row.ts';
import { tellShipment } from './told.ts';

/** What is left out is as the order was sold. */
export type ShipmentWish = { connection_id?: string; courier_code?: string; courier_service_code?: string };
type Asked = { id: string; operationId: string };

/** The row first: its id is the shipper's reference. Needs the order's lock. Throws 404, 409, 422. */
export async function askForShipment(tx: OwnTx, orderId: string, wish: ShipmentWish, actor: string): Promise<Asked> {
  const id = uuidv7();
  let operationId = '';
  await changeOrder(tx, { id: orderId, actor }, async (order) => {
    await assertFree(order, orderId);
    await process(order);
    const { rate, shipping_address } = order.order;
    const chosen = {
      id,
      courier_code: wish.courier_code ?? rate?.courier_code ?? '',
      courier_service_code: wish.courier_service_code ?? rate?.courier_service_code ?? '',
      destination_area_id: shipping_address?.area_id ?? '',
    };
    if (!chosen.courier_code || !chosen.courier_service_code)
      throw invalidField('courier_code', 'The order was sold without a rate: name courier and service', 'required');
    await parcelOf(order, order.order, chosen);
    const connection = await usableConnection(order, { kind: 'shipper', id: wish.connection_id ?? rate?.connection_id });
    const shipment = order.create(Shipment, { ...chosen, order_id: orderId, connection_id: connection.id, actor });
    await order.flush();
    restartFulfillment(order, 'unfulfilled');
    order.attend('shipment_failed', false);
    tellShipment(order, shipment);
    const pool = await shipperPool(order, connection.id);
    const lane = orderLane('shipping', orderId);
    operationId = order.enqueue(createShipmentJob, { order_id: orderId, shipment_id: id }, { lane, pool });
  });
  return { id, operationId };
}

async function assertFree(order: OrderTx, orderId: string): Promise<void> {
  assertNotRestocked(order);
  const live = await liveShipment(order, orderId);
  if (!live) return;
  const message = `The order has a shipment: it is ${live.status}`;
  throw new AppError('conflict', message, { details: [{ code: 'shipment.live', message, value: live.id }] });
}

/** An order that was sent is sent again when its parcel did not arrive, or when another of its prepaid deliveries is due. */
async function process(order: OrderTx): Promise<void> {
  const { status, fulfillment_status, prepaid_deliveries_remaining } = order.order;
  if (status === 'processing') return;
  const isBack = fulfillment_status === 'failed' || fulfillment_status === 'returned';
  const isNext = fulfillment_status === 'delivered' && (prepaid_deliveries_remaining ?? 0) > 0;
  if (status === 'shipped' && (isBack || isNext)) return;
  await moveOrder(order, 'process', { by: 'caller' });
}
