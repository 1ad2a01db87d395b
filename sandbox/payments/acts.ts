import type { State } from '../state.ts';
import type { Act, PayRefund, PaySession } from './store.ts';
import { stripeEvents, stripeRefundEvent } from './stripe-webhooks.ts';
import { type Cause, tellPayments } from './webhooks.ts';
import { xenditEvents, xenditRefundEvent } from './xendit-webhooks.ts';

/** What a customer, or the clock, does at the provider. False: the session is open no more. */
export function act(state: State, session: PaySession, what: Act, cause: Cause, amount = session.amount): boolean {
  if (session.status !== 'open') return false;
  if (what === 'pay') {
    session.status = 'complete';
    session.payment = {
      id: session.paymentId,
      requestId: session.requestId,
      amount,
      currency: session.currency,
      method: session.provider === 'stripe' ? 'card' : 'QRIS',
      refunded: 0,
    };
  }
  if (what === 'fail') session.hasFailed = true;
  if (what === 'expire') session.status = 'expired';
  const events = session.provider === 'stripe' ? stripeEvents(session, what) : xenditEvents(session, what);
  tellPayments(state, session, events, cause);
  return true;
}

/** The bank has decided. */
export function settleRefund(state: State, refund: PayRefund, status: PayRefund['status'], cause: Cause): void {
  refund.status = status;
  const session = state.payments.ofPayment(refund.of);
  if (status === 'failed' && session?.payment) session.payment.refunded -= refund.amount;
  const event = refund.provider === 'stripe' ? stripeRefundEvent(refund) : xenditRefundEvent(refund);
  tellPayments(state, refund, [event], cause);
}
