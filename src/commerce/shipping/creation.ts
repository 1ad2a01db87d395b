import { now } from '../../platform/database/columns.ts';
import type { Own } from '../../platform/database/own.ts';
import type { TenantTransact } from '../../platform/ledger/tenant.ts';
import type { OwnTx } from '../../platform/ledger/tx.ts';
import type { NewShipperOrder, ShipperOrder } from '../../providers/shipper/provider.ts';
import { getOrder, orderLock } from '../orders/order-row.ts';
import { applyShipperOrder } from './apply.ts';
import { parcelOf } from './parcel.ts';
import { Shipment } from './shipment.entity.ts';

type Wanted = { status: string; asked_at: string | null };

/** One that was asked for and then called back may be there already: it is found out by its reference, so that it can be cancelled. */
const isWanted = ({ status, asked_at }: Wanted) => status === 'creating' || (status === 'cancelling' && asked_at !== null);

export type Creation = { connectionId: string; parcel: NewShipperOrder };

/** Undefined: nothing is left to do. Throws 422 for what the order does not say any more. */
export async function creationOf(own: Own, orderId: string, id: string): Promise<Creation | undefined> {
  const shipment = await own.findOne(Shipment, { id, shipper_order_id: null });
  if (!shipment || !isWanted(shipment)) return undefined;
  return { connectionId: shipment.connection_id, parcel: await parcelOf(own, await getOrder(own, orderId), shipment) };
}

type Claim = { wasAsked: boolean; isCalledBack: boolean };

/** From here on the shipper may have been asked. `wasAsked`: an earlier request may have made it. Undefined: nothing is left to do. */
export const claimCreation = (transact: TenantTransact, orderId: string, id: string): Promise<Claim | undefined> =>
  transact({ locks: [orderLock(orderId)] }, async ({ own }) => {
    const shipment = await own.findOne(Shipment, { id, shipper_order_id: null });
    if (!shipment || !isWanted(shipment)) return undefined;
    const wasAsked = shipment.asked_at !== null;
    shipment.asked_at ??= now();
    return { wasAsked, isCalledBack: shipment.status === 'cancelling' };
  });

/** The shipper answered that it has made nothing: as if it had not been asked. */
export const releaseCreation = (transact: TenantTransact, orderId: string, id: string): Promise<void> =>
  transact({ locks: [orderLock(orderId)] }, async ({ own }) => {
    await own.update(Shipment, { id, shipper_order_id: null }, { asked_at: null });
  });

export const settleCreation = (tx: OwnTx, orderId: string, id: string, there: ShipperOrder): Promise<void> =>
  applyShipperOrder(tx, { id, order_id: orderId }, there);
