import { pacedPool } from '../../connections/paces.ts';
import { isConnectionThere } from '../../connections/queries.ts';
import { type AppError, invalidField } from '../../platform/errors.ts';
import { uuidv7 } from '../../platform/ids.ts';
import type { PaymentProviderName } from '../../providers/payment/provider.ts';
import { afterPayment } from '../orders/moves.ts';
import { orderLane } from '../orders/order-row.ts';
import type { OrderTx } from '../orders/order-tx.ts';
import { stateConflict } from '../state-conflict.ts';
import { assertExpressible, assertPayable } from './amounts.ts';
import { refundPaymentJob } from './jobs.ts';
import { Refund } from './payment.entity.ts';
import { providerOf } from './provider-of.ts';
import { findPayment, type PaymentRow, refundable } from './refund-row.ts';
import { tellPayment } from './tell.ts';

/** `by_hand`: the caller gave it back at the provider, which Kanal cannot ask any more. */
export type RefundRequest = { payment_id?: string; amount?: number; reason?: string; by_hand?: boolean };

/**
 * Gives back part of a payment, or what is left of it. The row first; its id is the key at the provider. Recorded payments were given back
 * by hand. Throws 422 above what was paid, 409 where the provider can be asked or not, and the request says the contrary.
 */
export async function askForRefund(
  order: OrderTx,
  { payment_id, amount, reason = '', by_hand = false }: RefundRequest,
): Promise<{ refundId: string; operationId?: string }> {
  const asked = amount === undefined ? undefined : BigInt(amount);
  const left = await refundable(order, order.order.id);
  const chosen =
    payment_id === undefined
      ? left.find((one) => one.left > 0n && one.left >= (asked ?? 0n))
      : left.find(({ id }) => id === payment_id);
  if (payment_id !== undefined && !chosen) throw invalidField('payment_id', 'The order has no such payment', 'payment_unknown');
  const gives = asked ?? chosen?.left ?? 0n;
  if (!chosen || gives <= 0n || gives > chosen.left) throw aboveWhatWasPaid(payment_id === undefined ? left : [chosen!]);
  const payment = (await findPayment(order, chosen.id))!;
  if (asked !== undefined) assertPayable(asked, payment.currency);
  return addRefund(order, payment, gives, { reason, isByHand: by_hand });
}

/** `left`: of the payments that were meant. */
function aboveWhatWasPaid(left: { left: bigint }[]): AppError {
  const total = left.reduce((sum, one) => sum + one.left, 0n);
  const most = left.reduce((max, one) => (one.left > max ? one.left : max), 0n);
  const message =
    total === most
      ? `At most ${most} can be given back`
      : `At most ${most} of one payment, and ${total} of all, can be given back: ask for a refund of each`;
  return invalidField('amount', message, 'above_paid');
}

/** For an order that is cancelled with its money given back: a refund of each payment. */
export async function refundAll(order: OrderTx, reason: string): Promise<void> {
  for (const { id, left } of await refundable(order, order.order.id)) {
    const payment = left > 0n ? await findPayment(order, id) : undefined;
    if (payment) await addRefund(order, payment, left, { reason, isByHand: false });
  }
}

async function addRefund(
  order: OrderTx,
  payment: PaymentRow,
  amount: bigint,
  { reason, isByHand }: { reason: string; isByHand: boolean },
): Promise<{ refundId: string; operationId?: string }> {
  const { id: orderId } = order.order;
  const connectionId = await askedFor(order, payment, isByHand);
  if (connectionId !== null) {
    const provider = await providerOf(order, connectionId);
    assertExpressible(provider as PaymentProviderName, String(amount), payment.currency);
  }
  const id = uuidv7();
  const money = { amount: String(amount), currency: payment.currency };
  const status = connectionId === null ? 'succeeded' : 'pending';
  await order.insert(Refund, {
    ...{ id, order_id: orderId, payment_id: payment.id, connection_id: connectionId, status, ...money },
    ...{ reason, actor: order.actor },
  });
  tellPayment(order, { orderId, kind: 'refund', id, status, ...money });
  order.tell('refund', { refund_id: id, payment_id: payment.id, to: status, amount: money.amount });
  order.moneyMoved();
  if (connectionId === null) {
    await afterPayment(order);
    return { refundId: id };
  }
  const pool = await pacedPool(order, 'payment', connectionId);
  const lane = orderLane('payment', orderId);
  return { refundId: id, operationId: order.enqueue(refundPaymentJob, { order_id: orderId, refund_id: id }, { lane, pool }) };
}

/** The connection of which the money is asked back; null: nobody is asked. Throws 409. */
async function askedFor(order: OrderTx, { connection_id: connectionId }: PaymentRow, isByHand: boolean): Promise<string | null> {
  if (connectionId === null || !isByHand) return connectionId;
  if (!(await isConnectionThere(order, connectionId))) return null;
  throw stateConflict('The provider can be asked: leave `by_hand` out, and it gives the money back', {
    code: 'refund.answerable',
  });
}
