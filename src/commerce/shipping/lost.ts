import { connectionDeleted } from '../../connections/deleted.ts';
import type { Own } from '../../platform/database/own.ts';
import type { RowOf } from '../../platform/database/tables.ts';
import type { OwnTx } from '../../platform/ledger/tx.ts';
import { raiseFulfillment } from '../orders/fulfilment.ts';
import { changeOrder } from '../orders/order-tx.ts';
import { Shipment } from './shipment.entity.ts';
import type { ShipmentRef } from './shipment-row.ts';
import { changeShipment } from './told.ts';

/** SQL: its age by the database's clock. */
const openStatement = `
  select connection_id, shipper_order_id, (extract(epoch from clock_timestamp() - created_at) * 1000)::float8 as age_ms
    from shipments
   where organization_id = $1
     and id = $2
     and shipper_order_id is not null
     and status in ('confirmed', 'cancelling')`;

type Open = RowOf<typeof Shipment, 'connection_id'> & { shipper_order_id: string; age_ms: number };

/** Undefined: it ended. */
export async function checkedOf(own: Own, id: string): Promise<Open | undefined> {
  const [open] = await own.sql<Open>(openStatement, [id]);
  return open;
}

/** Its connection was deleted: it goes on its way, and nobody can be asked. A person says how it ended. Needs the order's lock. */
export async function unwatched(tx: OwnTx, { id, order_id }: ShipmentRef): Promise<void> {
  const shipment = await tx.findOne(Shipment, { id, status: { $in: ['confirmed', 'cancelling'] } });
  if (!shipment) return;
  await changeOrder(tx, { id: order_id, actor: '' }, (order) => {
    shipment.failure = connectionDeleted;
    order.attend('shipment_failed', true);
    order.tell('shipment', { shipment_id: id, status: shipment.status, code: connectionDeleted.code });
  });
}

/** The shipper has no such order any more. Needs the order's lock. */
export async function lostThere(tx: OwnTx, { id, order_id }: ShipmentRef): Promise<void> {
  const shipment = await tx.findOne(Shipment, { id, status: { $in: ['confirmed', 'cancelling'] } });
  if (!shipment) return;
  await changeOrder(tx, { id: order_id, actor: '' }, (order) =>
    changeShipment(order, shipment, () => {
      shipment.failure = { code: 'gone', message: 'The shipper does not have this order any more' };
      shipment.status = shipment.status === 'cancelling' ? 'cancelled' : 'failed';
      raiseFulfillment(order, 'failed');
      if (shipment.status === 'failed') order.attend('shipment_failed', true);
    }),
  );
}
