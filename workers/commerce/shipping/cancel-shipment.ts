import { orderLock } from '../../../src/commerce/orders/order-row.ts';
import { applyShipperOrder } from '../../../src/commerce/shipping/apply.ts';
import { cancellationOf, settleCancelled } from '../../../src/commerce/shipping/cancellation.ts';
import { creationOf } from '../../../src/commerce/shipping/creation.ts';
import { cancelShipmentJob } from '../../../src/commerce/shipping/jobs.ts';
import { connectionDeleted } from '../../../src/connections/deleted.ts';
import { AppError } from '../../../src/platform/errors.ts';
import type { OwnTx } from '../../../src/platform/ledger/tx.ts';
import { ProviderRefused } from '../../../src/providers/errors.ts';
import { withConnection } from '../../connections/with-connection.ts';
import { handleCalls } from '../../handler.ts';
import { orRefusal } from './refusal.ts';

const reason = 'Cancelled by the store';

/** A refusal may say that it was cancelled by a run before: what is there decides. */
export const cancelShipment = handleCalls(cancelShipmentJob, async ({ order_id, shipment_id: id }, context) => {
  const { own, providers, transact } = context;
  const shipment = await cancellationOf(own, id);
  if (!shipment) return context.finish();
  return withConnection(context, shipment.connection_id, {
    gone: () => context.fail(connectionDeleted),
    async work({ account, call }) {
      const { credentials } = account;
      let shipperOrderId = shipment.shipper_order_id;
      if (shipperOrderId === null) {
        // Nobody knows whether it was made: its reference finds it, or makes what is cancelled next.
        const creation = await creationOf(own, order_id, id).catch(orRefusal);
        if (!creation) return context.finish();
        if (creation instanceof AppError) return context.fail({ code: creation.code, message: creation.message });
        const made = await call(() => providers.shipper.createOrder(credentials, creation.parcel));
        const apply = (tx: { own: OwnTx }) => applyShipperOrder(tx.own, { id, order_id }, made);
        await transact({ locks: [orderLock(order_id)] }, apply);
        shipperOrderId = made.id;
      }
      const known = shipperOrderId;
      try {
        await call(() => providers.shipper.cancelOrder(credentials, known, reason));
      } catch (error) {
        if (!(error instanceof ProviderRefused) || error.stopsChannel) throw error;
        const there = await call(() => providers.shipper.readOrder(credentials, known));
        const isOver = there.status === 'cancelled';
        if (isOver) return context.finish((tx) => applyShipperOrder(tx.own, { id, order_id }, there));
        return context.fail(
          { code: 'conflict', message: error.message, provider_code: error.providerCode },
          { work: (tx) => applyShipperOrder(tx.own, { id, order_id }, there) },
        );
      }
      return context.finish((tx) => settleCancelled(tx.own, order_id, id));
    },
  });
});
