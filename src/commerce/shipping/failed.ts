import { AppError } from '../../platform/errors.ts';
import type { JobError } from '../../platform/ledger/jobs.entity.ts';
import type { OwnTx } from '../../platform/ledger/tx.ts';
import { raiseFulfillment } from '../orders/fulfilment.ts';
import { changeOrder } from '../orders/order-tx.ts';
import { assertNotRestocked } from '../orders/restock.ts';
import { Shipment } from './shipment.entity.ts';
import { liveShipment } from './shipment-row.ts';
import { changeShipment } from './told.ts';

/**
 * A refusal says that there is none. Without an answer nobody knows: it stays live until somebody tries again or cancels it, so that no second
 * parcel is ordered beside it. Needs the order's lock.
 */
export async function creationFailed(tx: OwnTx, orderId: string, id: string, error: JobError): Promise<void> {
  const shipment = await tx.findOne(Shipment, { id, shipper_order_id: null });
  if (!shipment || (shipment.status !== 'creating' && shipment.status !== 'cancelling')) return;
  const isNone = error.code === 'provider_refused' || shipment.asked_at === null;
  await changeOrder(tx, { id: orderId, actor: '' }, (order) =>
    changeShipment(order, shipment, () => {
      if (shipment.status === 'cancelling') {
        if (isNone) shipment.status = 'cancelled';
        return;
      }
      shipment.failure = error;
      shipment.confirm_status = 'failed';
      shipment.confirm_error = error.message;
      order.attend('shipment_failed', true);
      if (!isNone) return;
      shipment.status = 'failed';
      raiseFulfillment(order, 'failed');
    }),
  );
}

/** Tried again by hand, under the same reference. Throws 409 when another shipment took its place. */
export async function creationRevived(tx: OwnTx, orderId: string, id: string): Promise<void> {
  const shipment = await tx.findOne(Shipment, { id, shipper_order_id: null, status: { $in: ['creating', 'failed'] } });
  const live = await liveShipment(tx, orderId);
  if (!shipment?.failure || (live && live.id !== id))
    throw new AppError('conflict', 'The shipment was changed since, or another took its place');
  await changeOrder(tx, { id: orderId, actor: '' }, async (order) => {
    if (order.order.status !== 'processing' && order.order.status !== 'shipped')
      throw new AppError('conflict', `The order is ${order.order.status}: nothing of it is sent`);
    assertNotRestocked(order);
    await changeShipment(order, shipment, () => {
      Object.assign(shipment, { status: 'creating', failure: null, confirm_status: 'pending', confirm_error: '' });
      order.attend('shipment_failed', false);
    });
  });
}

/** It goes on its way, or nobody knows whether it does: what was the matter stays with it. Needs the order's lock. */
export async function cancelFailed(tx: OwnTx, orderId: string, id: string, error: JobError): Promise<void> {
  const shipment = await tx.findOne(Shipment, { id, status: 'cancelling' });
  if (!shipment) return;
  await changeOrder(tx, { id: orderId, actor: '' }, (order) =>
    changeShipment(order, shipment, () => {
      shipment.status = shipment.shipper_order_id === null ? 'creating' : 'confirmed';
      shipment.failure = error;
      if (order.order.status === 'cancelled') order.attend('shipment_failed', true);
    }),
  );
}

export async function cancelRevived(tx: OwnTx, orderId: string, id: string): Promise<void> {
  const shipment = await tx.findOne(Shipment, { id, status: { $in: ['creating', 'confirmed'] } });
  if (!shipment?.failure) throw new AppError('conflict', 'The shipment was changed since');
  await changeOrder(tx, { id: orderId, actor: '' }, (order) =>
    changeShipment(order, shipment, () => {
      Object.assign(shipment, { status: 'cancelling', failure: null });
    }),
  );
}
