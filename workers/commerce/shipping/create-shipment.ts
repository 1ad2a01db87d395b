import { claimCreation, creationOf, releaseCreation, settleCreation } from '../../../src/commerce/shipping/creation.ts';
import { createShipmentJob } from '../../../src/commerce/shipping/jobs.ts';
import { connectionDeleted } from '../../../src/connections/deleted.ts';
import { AppError } from '../../../src/platform/errors.ts';
import { type ProviderError, ProviderRefused, tookNoEffect } from '../../../src/providers/errors.ts';
import type { ShipperOrder } from '../../../src/providers/shipper/provider.ts';
import { withConnection } from '../../connections/with-connection.ts';
import { handleCalls } from '../../handler.ts';
import { orRefusal } from './refusal.ts';

/**
 * The claim is committed before the call. After a lost answer the same reference is sent again, and the shipper names the order it made. One
 * that refuses then for another reason (the first may have taken the balance) has not said that there is none.
 */
export const createShipment = handleCalls(createShipmentJob, async ({ order_id, shipment_id }, context) => {
  const creation = await creationOf(context.own, order_id, shipment_id).catch(orRefusal);
  if (!creation) return context.finish();
  if (creation instanceof AppError) return context.fail({ code: creation.code, message: creation.message });
  return withConnection(context, creation.connectionId, {
    gone: () => context.fail(connectionDeleted),
    async work({ account, call }) {
      const claim = await claimCreation(context.transact, order_id, shipment_id);
      if (!claim) return context.finish();
      let there: ShipperOrder;
      try {
        there = await call(() => context.providers.shipper.createOrder(account.credentials, creation.parcel));
      } catch (error) {
        if (!tookNoEffect(error)) throw error;
        if (!claim.wasAsked) await releaseCreation(context.transact, order_id, shipment_id);
        else if (isFinal(error) && !claim.isCalledBack) return context.fail(undecided(error));
        throw error;
      }
      return context.finish(({ own }) => settleCreation(own, order_id, shipment_id, there));
    },
  });
});

const isFinal = (error: ProviderError) => error instanceof ProviderRefused && !error.stopsChannel;

const undecided = ({ message, providerCode }: ProviderError) => ({
  code: 'provider_failed',
  message: `An earlier request had no answer, and now the shipper refuses: ${message}. Look there for the parcel before another is ordered`,
  provider_code: providerCode,
});
