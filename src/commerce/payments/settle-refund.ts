import { isConnectionThere } from '../../connections/queries.ts';
import { now } from '../../platform/database/columns.ts';
import { AppError } from '../../platform/errors.ts';
import type { OwnTx } from '../../platform/ledger/tx.ts';
import type { RefundThere } from '../../providers/payment/provider.ts';
import { afterPayment } from '../orders/moves.ts';
import { changeOrder, type OrderTx } from '../orders/order-tx.ts';
import { stateConflict } from '../state-conflict.ts';
import { type PaymentFailure, Refund, type RefundStatus } from './payment.entity.ts';
import { findRefund, getRefund, hasUnanswered, type RefundRow, refundable } from './refund-row.ts';
import { tellPayment } from './tell.ts';

/** What the provider says of it. The provider's last word counts, whatever was thought before. Needs the order's lock. */
export async function applyRefund(own: OwnTx, refundId: string, there: RefundThere): Promise<void> {
  const refund = await findRefund(own, refundId);
  if (!refund) return;
  if (refund.provider_refund_id === null)
    await own.update(Refund, { id: refundId }, { provider_refund_id: there.id, updated_at: now() });
  // A bank may send money back days after it was said to be there; one that we gave up without an answer may have succeeded.
  if (there.status === 'pending' || there.status === refund.status) return;
  const failure = there.status === 'failed' ? failureOf(there.reason) : null;
  await moved(own, refund, there.status, failure);
}

const failureOf = (reason: string): PaymentFailure => ({
  code: 'provider_refused',
  message: 'The provider could not give the money back',
  provider_code: reason || null,
});

/**
 * A refusal says that nothing was given back. Without an answer nobody knows: it stays `pending` with its failure until it is tried again under
 * its own key, so that the money is not given back a second time beside it; or, when its connection was deleted, until a person says what became
 * of it. Needs the order's lock.
 */
export async function failRefund(own: OwnTx, refundId: string, failure: PaymentFailure): Promise<void> {
  const refund = await findRefund(own, refundId);
  if (refund?.status !== 'pending') return;
  if (failure.code === 'provider_refused' || refund.asked_at === null) return moved(own, refund, 'failed', failure);
  await changeOrder(own, { id: refund.order_id, actor: '' }, async (order) => {
    await order.update(Refund, { id: refund.id }, { failure, updated_at: now() });
    order.attend('refund_unanswered', true);
    order.tell('refund', { refund_id: refund.id, from: 'pending', to: 'pending', amount: refund.amount });
  });
}

/** A worker that died may have asked. Taken for failed, the same money could be given back a second time, under another key. */
export async function mayBeGiven(own: OwnTx, refundId: string): Promise<boolean> {
  const refund = await findRefund(own, refundId);
  return refund?.status === 'pending' && refund.asked_at !== null;
}

/** A retry by hand, under the same key. Throws 409 where the money was given back otherwise meanwhile. */
export async function reviveRefund(own: OwnTx, refundId: string): Promise<void> {
  const refund = await findRefund(own, refundId);
  if (refund?.status === 'pending' && refund.failure) return moved(own, refund, 'pending', null);
  const left = refund && (await refundable(own, refund.order_id)).find(({ id }) => id === refund.payment_id)?.left;
  if (refund?.status !== 'failed' || left === undefined || left < BigInt(refund.amount))
    throw new AppError('conflict', 'The refund is over, or what it would give back was given back meanwhile');
  await moved(own, refund, 'pending', null);
}

/** What a person found at the provider. */
export type FoundRefund = 'succeeded' | 'failed';

const saidFailed = {
  code: 'settled_by_hand',
  message: 'A person found at the provider that nothing was given back',
  provider_code: null,
};

/**
 * By a person who looked at the provider, where Kanal can ask nobody any more: the refund's connection was deleted. What was said already is
 * nothing. Throws 404; 409 while the provider can be asked, and for a refund that has ended otherwise.
 */
export async function settleByHand(order: OrderTx, id: string, found: FoundRefund): Promise<void> {
  const refund = await getRefund(order, order.order.id, id);
  if (refund.status === found) return;
  if (refund.status !== 'pending') throw stateConflict(`The refund has ${refund.status}`, { value: refund.status });
  if (refund.connection_id === null || (await isConnectionThere(order, refund.connection_id)))
    throw stateConflict('The provider can still be asked: its answer decides', {
      code: 'refund.answerable',
      value: refund.status,
    });
  await settle(order, refund, found, found === 'failed' ? saidFailed : null);
}

async function moved(own: OwnTx, refund: RefundRow, status: RefundStatus, failure: PaymentFailure | null): Promise<void> {
  await changeOrder(own, { id: refund.order_id, actor: '' }, (order) => settle(order, refund, status, failure));
}

async function settle(order: OrderTx, refund: RefundRow, status: RefundStatus, failure: PaymentFailure | null): Promise<void> {
  await order.update(Refund, { id: refund.id }, { status, failure, updated_at: now() });
  tellPayment(order, { ...refund, orderId: refund.order_id, kind: 'refund', status });
  order.tell('refund', { refund_id: refund.id, from: refund.status, to: status, amount: refund.amount });
  order.attend('refund_unanswered', await hasUnanswered(order, refund.order_id));
  order.moneyMoved();
  await afterPayment(order);
}
