import { orderLock } from '../../../src/commerce/orders/order-row.ts';
import { applyShipperOrder } from '../../../src/commerce/shipping/apply.ts';
import { nextCheckMs } from '../../../src/commerce/shipping/check.ts';
import { checkShipmentJob } from '../../../src/commerce/shipping/jobs.ts';
import { checkedOf, lostThere, unwatched } from '../../../src/commerce/shipping/lost.ts';
import { saysGone } from '../../../src/providers/shipper/error-codes.ts';
import { withConnection } from '../../connections/with-connection.ts';
import { handleCalls } from '../../handler.ts';

/** It is looked at even if no webhook ever comes, until it ends. */
export const checkShipment = handleCalls(checkShipmentJob, async ({ order_id, shipment_id: id }, context) => {
  const { own, providers, transact } = context;
  const shipment = await checkedOf(own, id);
  if (!shipment) return context.finish();
  return withConnection(context, shipment.connection_id, {
    gone: () =>
      context.finishLooked({ look: async () => undefined, locks: () => [orderLock(order_id)] }, (tx) =>
        unwatched(tx.own, { id, order_id }),
      ),
    async work({ account, call }) {
      const ref = { id, order_id };
      const locks = [orderLock(order_id)];
      const there = await call(() => providers.shipper.readOrder(account.credentials, shipment.shipper_order_id)).catch(
        (error) => {
          if (saysGone(error)) return undefined;
          throw error;
        },
      );
      if (there) await transact({ locks }, (tx) => applyShipperOrder(tx.own, ref, there));
      else await transact({ locks }, (tx) => lostThere(tx.own, ref));
      const isOver = (await checkedOf(own, id)) === undefined;
      return isOver ? context.finish() : context.wait(nextCheckMs(shipment.age_ms), { reason: 'it is on its way' });
    },
  });
});
