import { statement } from '../../platform/database/statement.ts';
import { AppError, notFound } from '../../platform/errors.ts';
import { Job } from '../../platform/ledger/jobs.entity.ts';
import type { OwnTx } from '../../platform/ledger/tx.ts';
import { shipperPool } from '../delivery/shipper-pool.ts';
import { orderLane } from '../orders/order-row.ts';
import type { OrderTx } from '../orders/order-tx.ts';
import { changeOrder } from '../orders/order-tx.ts';
import { cancelShipmentJob } from './jobs.ts';
import { Shipment } from './shipment.entity.ts';
import { liveShipment, type ShipmentRecord } from './shipment-row.ts';
import { mayBeCancelled } from './statuses.ts';
import { changeShipment } from './told.ts';

const liveCancel = statement((select, { lane }: { lane: string }) =>
  select(Job)
    .select('id')
    .where('lane', '=', lane)
    .where('name', '=', cancelShipmentJob.name)
    .where('state', 'in', ['blocked', 'waiting', 'queued'])
    .limit(1),
);

/** Without an operation it is cancelled already. */
export type AskedCancel = { operationId?: string };

/** Needs the order's lock. Throws 404; 409 once the courier has the parcel. */
export async function askForCancel(tx: OwnTx, orderId: string, id: string, actor: string): Promise<AskedCancel> {
  const shipment = await tx.findOne(Shipment, { id, order_id: orderId });
  if (!shipment) throw notFound('Shipment');
  const { status } = shipment;
  if (status === 'cancelled') return {};
  if (status === 'cancelling') {
    const [live] = await liveCancel(tx, { lane: orderLane('shipping', orderId) });
    return live ? { operationId: live.id } : {};
  }
  let asked: AskedCancel = {};
  await changeOrder(tx, { id: orderId, actor }, async (order) => {
    if (!isCancellable(shipment)) throw tooLate(shipment);
    asked = await cancel(order, shipment);
  });
  return asked;
}

/** An order that is cancelled is not sent any more; a parcel that cannot be called back asks for attention. */
export async function cancelShipmentOf(order: OrderTx): Promise<void> {
  const live = await liveShipment(order, order.order.id);
  // What failed or came back is not sent again.
  if (!live) order.attend('shipment_failed', false);
  const shipment = live && live.status !== 'cancelling' ? await order.findOne(Shipment, { id: live.id }) : undefined;
  if (!shipment) return;
  if (isCancellable(shipment)) await cancel(order, shipment);
  else order.attend('shipment_failed', true);
}

const isCancellable = ({ status, provider_status }: ShipmentRecord) =>
  status === 'creating' || (status === 'confirmed' && mayBeCancelled(provider_status));

/** Nobody was asked for it yet: it is over at once, and the job that would ask finds nothing to do. */
async function cancel(order: OrderTx, shipment: ShipmentRecord): Promise<AskedCancel> {
  const isAsked = shipment.asked_at !== null;
  await changeShipment(order, shipment, () => {
    shipment.status = isAsked ? 'cancelling' : 'cancelled';
    shipment.failure = null;
  });
  await order.flush();
  if (!isAsked) return {};
  const { id, order_id, connection_id } = shipment;
  const pool = await shipperPool(order, connection_id);
  const lane = orderLane('shipping', order_id);
  return { operationId: order.enqueue(cancelShipmentJob, { order_id, shipment_id: id }, { lane, pool }) };
}

function tooLate({ status, provider_status }: ShipmentRecord): AppError {
  const state = status === 'confirmed' ? provider_status : status;
  const message = `The shipment is ${state}: only one that the courier does not have yet can be cancelled`;
  return new AppError('conflict', message, { details: [{ code: 'shipment.status', message, value: state }] });
}
