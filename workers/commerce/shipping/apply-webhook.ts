import { orderLock } from '../../../src/commerce/orders/order-row.ts';
import { applyShipperOrder } from '../../../src/commerce/shipping/apply.ts';
import { shipmentOf } from '../../../src/commerce/shipping/shipment-row.ts';
import { isUuid } from '../../../src/platform/ids.ts';
import { saysGone } from '../../../src/providers/shipper/error-codes.ts';
import { readShipperHint } from '../../../src/providers/shipper/inbound.ts';
import type { AtConnection } from '../../connections/with-connection.ts';
import type { RunContext } from '../../handler.ts';

/**
 * A webhook only says where to look. One that overtook the answer to the creation is matched by the reference that the shipper's order has.
 * `unknown`: no shipment of ours. Throws SyntaxError for what is no JSON.
 */
export async function applyShipperWebhook(
  { own, providers, transact }: RunContext<unknown>,
  { account, call }: AtConnection,
  rawBody: Buffer,
): Promise<'applied' | 'unknown'> {
  const hint = readShipperHint(rawBody);
  if (!hint) return 'unknown';
  const there = await call(() => providers.shipper.readOrder(account.credentials, hint.orderId)).catch((error) => {
    if (saysGone(error)) return undefined;
    throw error;
  });
  if (!there) return 'unknown';
  const connectionId = account.id;
  const known = await shipmentOf(own, { connectionId, shipperOrderId: there.id });
  const shipment = known ?? (isUuid(there.reference) ? await shipmentOf(own, { connectionId, id: there.reference }) : undefined);
  if (!shipment) return 'unknown';
  await transact({ locks: [orderLock(shipment.order_id)] }, (tx) => applyShipperOrder(tx.own, shipment, there, hint));
  return 'applied';
}
