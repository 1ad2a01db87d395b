import type { Own } from '../../platform/database/own.ts';
import type { OwnTx } from '../../platform/ledger/tx.ts';
import { raiseFulfillment } from '../orders/fulfilment.ts';
import { changeOrder } from '../orders/order-tx.ts';
import { Shipment } from './shipment.entity.ts';
import { isNewest } from './shipment-row.ts';
import { changeShipment } from './told.ts';

/** Undefined: nothing is left to do. */
export const cancellationOf = (own: Own, id: string) => own.findOne(Shipment, { id, status: 'cancelling' });

/** The shipper took the cancellation. What a webhook has told meanwhile is the same. Needs the order's lock. */
export async function settleCancelled(tx: OwnTx, orderId: string, id: string): Promise<void> {
  const shipment = await tx.findOne(Shipment, { id, status: 'cancelling' });
  if (!shipment) return;
  await changeOrder(tx, { id: orderId, actor: '' }, async (order) => {
    await changeShipment(order, shipment, () => {
      Object.assign(shipment, { status: 'cancelled', provider_status: 'cancelled', failure: null });
    });
    if (await isNewest(order, shipment)) raiseFulfillment(order, 'failed');
  });
}
