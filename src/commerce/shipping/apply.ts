import { now } from '../../platform/database/columns.ts';
import type { OwnTx } from '../../platform/ledger/tx.ts';
import type { ShipperOrder, ShipperStatus } from '../../providers/shipper/provider.ts';
import { raiseFulfillment } from '../orders/fulfilment.ts';
import { moveIfMay } from '../orders/moves.ts';
import { changeOrder, type OrderTx } from '../orders/order-tx.ts';
import { checkLater } from './check.ts';
import { Shipment } from './shipment.entity.ts';
import { isNewest, type ShipmentRecord, type ShipmentRef } from './shipment-row.ts';
import { isNews, liveStatuses, meanings } from './statuses.ts';
import { changeShipment } from './told.ts';

/** What the webhook said that led to the read; only shown. */
type Hint = { event: string; status: string };

/**
 * What was read at the shipper becomes what stands here: of the shipment, and of its order when no newer one took its place. The same again
 * is nothing, and what is older too. Needs the order's lock.
 */
export async function applyShipperOrder(tx: OwnTx, ref: ShipmentRef, there: ShipperOrder, hint?: Hint): Promise<void> {
  const shipment = await tx.findOne(Shipment, { id: ref.id });
  if (!shipment || (shipment.shipper_order_id !== null && shipment.shipper_order_id !== there.id)) return;
  const isFirst = shipment.shipper_order_id === null;
  await changeOrder(tx, { id: shipment.order_id, actor: '' }, async (order) => {
    await changeShipment(order, shipment, async () => {
      shipment.shipper_order_id = there.id;
      shipment.shipper_draft_order_id = there.draftOrderId;
      shipment.checked_at = now();
      if (hint) Object.assign(shipment, { last_webhook_event: hint.event, last_webhook_status: hint.status });
      if (isFirst) Object.assign(shipment, { confirm_status: 'confirmed', confirm_error: '', failure: null });
      if (shipment.status === 'creating') shipment.status = 'confirmed';
      if (isFirst) order.attend('shipment_failed', false);
      const isOrders = await isNewest(order, shipment);
      takePrice(order, shipment, there);
      takeTracking(order, shipment, there, isOrders);
      if (there.status) await takeStatus(order, shipment, there.status, isOrders);
    });
    await tx.flush();
  });
  if (isFirst && liveStatuses.includes(shipment.status)) await checkLater(tx, shipment);
}

/** Compared with what the customer was quoted, if anything. */
function takePrice({ order: { rate }, attend }: OrderTx, shipment: ShipmentRecord, { priceIdr }: ShipperOrder): void {
  const before = shipment.shipper_price_idr;
  if (priceIdr === null || before === String(priceIdr)) return;
  const isSameService =
    rate?.courier_code === shipment.courier_code && rate.courier_service_code === shipment.courier_service_code;
  const quoted = isSameService ? String(rate.shipper_price_idr) : before;
  shipment.shipper_price_idr = String(priceIdr);
  if (quoted !== null) attend('price_changed', quoted !== String(priceIdr));
}

function takeTracking(order: OrderTx, shipment: ShipmentRecord, there: ShipperOrder, isOrders: boolean): void {
  const { tracking_number, tracking_url } = shipment;
  if (there.trackingNumber) shipment.tracking_number = there.trackingNumber;
  if (there.trackingUrl) shipment.tracking_url = there.trackingUrl;
  if (!isOrders || (shipment.tracking_number === tracking_number && shipment.tracking_url === tracking_url)) return;
  const { rate } = order.order;
  order.set({
    tracking_number: shipment.tracking_number,
    tracking_url: shipment.tracking_url,
    fulfillment_carrier: rate?.courier_code === shipment.courier_code ? rate.courier_name : shipment.courier_code,
  });
}

async function takeStatus(order: OrderTx, shipment: ShipmentRecord, status: ShipperStatus, isOrders: boolean): Promise<void> {
  if (!isNews(shipment.provider_status, status)) return;
  shipment.provider_status = status;
  const isWished = shipment.status === 'cancelling' || shipment.status === 'cancelled';
  await takeMeaning(order, shipment, status, { isOrders, isWished });
}

/** What a word of the shipper is to the shipment, and to its order when no newer one took its place. `isWished`: somebody called it off here. */
export async function takeMeaning(
  order: OrderTx,
  shipment: ShipmentRecord,
  status: ShipperStatus,
  { isOrders, isWished }: { isOrders: boolean; isWished: boolean },
): Promise<void> {
  const { ends, fulfillment } = meanings[status];
  if (ends) shipment.status = ends;
  if (!isOrders) return;
  // What comes back was sent, also where nobody heard of it.
  if (fulfillment === 'shipped' || fulfillment === 'delivered' || fulfillment === 'returned') await sent(order);
  raiseFulfillment(order, fulfillment);
  if (status === 'delivered') await delivered(order);
  const isLost = fulfillment === 'failed' && !(status === 'cancelled' && isWished);
  if (isLost || status === 'returned') order.attend('shipment_failed', true);
}

/** A parcel of an order that was cancelled is on its way: somebody must look at it. */
async function sent(order: OrderTx): Promise<void> {
  await moveIfMay(order, 'ship', { by: 'shipment' });
  if (order.present().status === 'cancelled') order.attend('shipment_failed', true);
}

/** Of prepaid deliveries more are to come. */
async function delivered(order: OrderTx): Promise<void> {
  if ((order.present().prepaid_deliveries_remaining ?? 0) === 0) await moveIfMay(order, 'complete', { by: 'shipment' });
}
