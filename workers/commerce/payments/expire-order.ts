import { expireOrderJob } from '../../../src/commerce/orders/expiry.ts';
import { moveIfMay } from '../../../src/commerce/orders/moves.ts';
import { findOrder, type OrderRow, orderLock } from '../../../src/commerce/orders/order-row.ts';
import { changeOrder } from '../../../src/commerce/orders/order-tx.ts';
import { endSession } from '../../../src/commerce/payments/end-session.ts';
import { refundable } from '../../../src/commerce/payments/refund-row.ts';
import { isLive, openSessions } from '../../../src/commerce/payments/session-row.ts';
import type { Own } from '../../../src/platform/database/own.ts';
import { now } from '../../../src/platform/time/clock.ts';
import { handle, type Outcome, type RunContext } from '../../handler.ts';
import { endThere } from './end-unwanted.ts';
import { patiently } from './patiently.ts';

/** A page that is being made is there, or not, by then. */
const creatingMs = 20_000;

const isWaiting = (order: OrderRow | undefined): order is OrderRow & { reserved_until: string } =>
  order?.status === 'pending' && order.reserved_until !== null;
const hasMoney = ({ paid_amount, refunded_amount, payment_status }: OrderRow) =>
  payment_status === 'paid' || BigInt(paid_amount) > BigInt(refunded_amount);
/** In another currency than the order's, or of an amount that cannot be said. */
const hasOtherMoney = async (own: Own, orderId: string) =>
  (await refundable(own, orderId)).some(({ left, isUncounted }) => left > 0n || isUncounted);

/**
 * The page is ended at the provider before the stock is free: what was paid meanwhile wins. While it may still be paid, the order waits. Money
 * that is there, a part too, keeps the order for a person to decide.
 */
export const expireOrder = handle(expireOrderJob, ({ order_id: id }, context) =>
  patiently(context, async () => {
    const order = await findOrder(context.own, id);
    if (!isWaiting(order)) return context.finish();
    const leftMs = Date.parse(order.reserved_until) - now();
    if (leftMs > 0) return context.wait(Math.ceil(leftMs));
    return (await endOpenPages(context, id)) ?? cancel(context, id);
  }),
);

async function endOpenPages(context: RunContext<unknown>, orderId: string): Promise<Outcome | undefined> {
  for (const session of (await openSessions(context.own, orderId)).filter(isLive)) {
    if (session.status === 'creating' && session.asked_at !== null)
      return context.wait(creatingMs, { reason: 'a page is being made' });
    if (session.status === 'creating') {
      await context.transact({ locks: [orderLock(orderId)] }, ({ own }) => endSession(own, session.id, 'expired'));
      continue;
    }
    const outcome = await endThere(context, session, 'expired');
    if (outcome) return outcome;
  }
  return undefined;
}

/** What was looked at may be another by now: under the lock it is looked at again. */
async function cancel(context: RunContext<unknown>, id: string): Promise<Outcome> {
  const isLeft = await context.transact({ locks: [orderLock(id)] }, async ({ own }) => {
    const isPayable = (await openSessions(own, id)).some(isLive);
    await changeOrder(own, { id, actor: '' }, async (order) => {
      const present = order.present();
      if (!isWaiting(present)) return;
      if (hasMoney(present) || (await hasOtherMoney(order, id))) order.set({ reserved_until: null });
      else if (!isPayable) await moveIfMay(order, 'cancel', { reason: 'expired', by: 'time' });
    });
    return isWaiting(await findOrder(own, id));
  });
  return isLeft ? context.wait(creatingMs, { reason: 'it may be paid again' }) : context.finish();
}
