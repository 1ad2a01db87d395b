import type { Own, Owned } from '../../platform/database/own.ts';
import { statement } from '../../platform/database/statement.ts';
import type { RowOf } from '../../platform/database/tables.ts';
import { notFound } from '../../platform/errors.ts';
import { list } from '../../platform/listing/paging.ts';
import { Shipment } from './shipment.entity.ts';

export const shipmentColumns = [
  'id',
  'order_id',
  'connection_id',
  'status',
  'provider_status',
  'shipper_order_id',
  'courier_code',
  'courier_service_code',
  'destination_area_id',
  'shipper_price_idr',
  'tracking_number',
  'tracking_url',
  'confirm_status',
  'confirm_error',
  'failure',
  'checked_at',
  'created_at',
  'updated_at',
] as const;

export type ShipmentRow = RowOf<typeof Shipment, (typeof shipmentColumns)[number]>;
/** A row that a transaction may change. */
export type ShipmentRecord = Owned<typeof Shipment>;

const ofOrder = statement((select, { orderId, id }: { orderId: string; id: string }) =>
  select(Shipment).select(shipmentColumns).where('order_id', '=', orderId).where('id', '=', id),
);

/** Throws 404. */
export async function getShipment(own: Own, orderId: string, id: string): Promise<ShipmentRow> {
  const [row] = await ofOrder(own, { orderId, id });
  if (!row) throw notFound('Shipment');
  return row;
}

/** Newest first. */
export const listShipments = list((select, { orderId }: { orderId: string }) =>
  select(Shipment).select(shipmentColumns).where('order_id', '=', orderId),
);

const live = statement((select, { orderId }: { orderId: string }) =>
  select(Shipment)
    .select(['id', 'status', 'provider_status'])
    .where('order_id', '=', orderId)
    .where('status', 'in', ['creating', 'confirmed', 'cancelling'])
    .limit(1),
);

export async function liveShipment(own: Own, orderId: string) {
  const [row] = await live(own, { orderId });
  return row;
}

const newest = statement((select, { orderId }: { orderId: string }) =>
  select(Shipment).select('id').where('order_id', '=', orderId).orderBy('created_at', 'desc').orderBy('id', 'desc').limit(1),
);

/** What is told of an earlier one does not change the order. */
export async function isNewest(own: Own, { order_id, id }: Pick<ShipmentRow, 'order_id' | 'id'>): Promise<boolean> {
  const [row] = await newest(own, { orderId: order_id });
  return row?.id === id;
}

const byShipperId = statement((select, { connectionId, shipperOrderId }: { connectionId: string; shipperOrderId: string }) =>
  select(Shipment)
    .select(['id', 'order_id'])
    .where('connection_id', '=', connectionId)
    .where('shipper_order_id', '=', shipperOrderId)
    .limit(1),
);

const byReference = statement((select, { connectionId, id }: { connectionId: string; id: string }) =>
  select(Shipment).select(['id', 'order_id']).where('connection_id', '=', connectionId).where('id', '=', id),
);

export type ShipmentRef = Pick<ShipmentRow, 'id' | 'order_id'>;

export async function shipmentOf(
  own: Own,
  of: { connectionId: string; shipperOrderId: string } | { connectionId: string; id: string },
): Promise<ShipmentRef | undefined> {
  const [row] = 'id' in of ? await byReference(own, of) : await byShipperId(own, of);
  return row;
}
