import { shipmentUpdated } from '../../platform/events/commerce-events.ts';
import type { OrderTx } from '../orders/order-tx.ts';
import { countedAs, shipmentOutcomes } from '../tallies.ts';
import type { ShipmentRecord } from './shipment-row.ts';

const seenOf = ({ status, provider_status, tracking_number }: ShipmentRecord) =>
  [status, provider_status, tracking_number].join('\n');

/** Tells what a change of a shipment is to its order: an event, and a line of the timeline, and counts it. Nothing when nothing changed. */
export async function changeShipment(order: OrderTx, shipment: ShipmentRecord, work: () => Promise<void> | void): Promise<void> {
  const before = seenOf(shipment);
  const { status, shipper_order_id: known } = shipment;
  await work();
  if (seenOf(shipment) !== before) tellShipment(order, shipment);
  // One that could not be called off is confirmed again, and was counted.
  if (known === null && shipment.shipper_order_id !== null) order.count(shipmentOutcomes, 'confirmed');
  const end = countedAs(shipmentOutcomes, shipment.status);
  if (end && end !== 'confirmed' && end !== status) order.count(shipmentOutcomes, end);
}

export function tellShipment(order: OrderTx, { id, order_id, status, provider_status, tracking_number }: ShipmentRecord): void {
  const told = { shipment_id: id, status, provider_status, tracking_number };
  order.tell('shipment', told);
  order.emit(shipmentUpdated, { order_id, ...told, organization_id: order.organizationId });
}
