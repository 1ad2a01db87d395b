import { orderLock } from '../../../src/commerce/orders/order-row.ts';
import { decimal } from '../../../src/commerce/payments/amounts.ts';
import { checkRefundJob, refundPaymentJob } from '../../../src/commerce/payments/jobs.ts';
import { Refund } from '../../../src/commerce/payments/payment.entity.ts';
import { findPayment, findRefund } from '../../../src/commerce/payments/refund-row.ts';
import { applyRefund, failRefund } from '../../../src/commerce/payments/settle-refund.ts';
import { connectionDeleted } from '../../../src/connections/deleted.ts';
import { connectionPool } from '../../../src/connections/use.ts';
import { now } from '../../../src/platform/database/columns.ts';
import { tookNoEffect } from '../../../src/providers/errors.ts';
import { withConnection } from '../../connections/with-connection.ts';
import { handleCalls } from '../../handler.ts';
import { callsAt } from './pages.ts';
import { patiently } from './patiently.ts';

const unasked = {
  code: connectionDeleted.code,
  message: 'The connection was deleted before the provider was done with it',
  provider_code: null,
};
const firstLookMs = 600_000;
const laterLookMs = 6 * 3_600_000;

/** Under the refund's id as the provider's key: asked twice it gives back once. */
export const refundPayment = handleCalls(refundPaymentJob, async ({ refund_id: id, order_id }, context) => {
  const refund = await findRefund(context.own, id);
  const payment = refund && (await findPayment(context.own, refund.payment_id));
  if (!payment?.connection_id || !payment.provider_payment_id || refund?.status !== 'pending') return context.finish();
  const { connection_id: connectionId, provider_payment_id: paymentId } = payment;
  return withConnection(context, connectionId, {
    gone: () => context.fail(connectionDeleted),
    async work(at) {
      const write = (where: object, askedAt: string | null) =>
        context.transact({ locks: [orderLock(order_id)] }, ({ own }) =>
          own.update(Refund, { id, status: 'pending', ...where }, { asked_at: askedAt }),
        );
      const isFirst = (await write({ asked_at: null }, now())) > 0;
      const { currency } = refund;
      const there = await callsAt(context, at)
        .refund({ key: id, paymentId, amount: decimal(refund.amount, currency), currency })
        .catch(async (error) => {
          // Only this request may have given it, and it has not.
          if (isFirst && tookNoEffect(error)) await write({}, null);
          throw error;
        });
      if (there.status === 'failed') {
        const reason = { code: 'provider_refused', message: 'The provider could not give the money back' };
        return context.fail(
          { ...reason, provider_code: there.reason || null },
          { work: ({ own }) => applyRefund(own, id, there) },
        );
      }
      return context.finish(async ({ own }) => {
        await applyRefund(own, id, there);
        if (there.status === 'pending')
          own.enqueue(checkRefundJob, { refund_id: id }, { pool: connectionPool(connectionId), delayMs: firstLookMs });
      });
    },
  });
});

/** Until the provider has decided. */
export const checkRefund = handleCalls(checkRefundJob, ({ refund_id: id }, context) =>
  patiently(context, async () => {
    const refund = await findRefund(context.own, id);
    if (refund?.status !== 'pending' || !refund.connection_id || !refund.provider_refund_id) return context.finish();
    const { provider_refund_id: providerId, order_id } = refund;
    const looked = { look: async () => undefined, locks: () => [orderLock(order_id)] };
    return withConnection(context, refund.connection_id, {
      gone: () => context.finishLooked(looked, ({ own }) => failRefund(own, id, unasked)),
      async work(at) {
        const there = await callsAt(context, at).readRefund(providerId);
        if (!there || there.status === 'pending')
          return context.wait(laterLookMs, { reason: 'the provider is not done with it' });
        return context.finishLooked(looked, ({ own }) => applyRefund(own, id, there));
      },
    });
  }),
);
