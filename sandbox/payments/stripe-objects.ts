import type { PayRefund, PaySession } from './store.ts';

export const apiVersion = '2026-10-28.endive';

const seconds = (ms: number) => Math.floor(ms / 1000);

export const intentShown = (session: PaySession, isExpanded = false) => {
  const { payment, hasFailed, amount, currency } = session;
  const charge = `ch_${session.paymentId.slice(3)}`;
  return {
    id: session.paymentId,
    object: 'payment_intent',
    amount,
    amount_received: payment?.amount ?? 0,
    currency,
    status: payment ? 'succeeded' : session.status === 'expired' ? 'canceled' : 'requires_payment_method',
    client_secret: null,
    created: seconds(session.created),
    latest_charge: payment ? (isExpanded ? chargeShown(session, charge) : charge) : null,
    last_payment_error: hasFailed ? { code: 'card_declined', type: 'card_error', message: 'Your card was declined.' } : null,
    livemode: false,
    metadata: (session.params.payment_intent_data as { metadata?: object } | undefined)?.metadata ?? {},
    payment_method_types: ['card'],
  };
};

const chargeShown = (session: PaySession, id: string) => ({
  id,
  object: 'charge',
  amount: session.payment!.amount,
  amount_refunded: session.payment!.refunded,
  currency: session.currency,
  paid: true,
  payment_intent: session.paymentId,
  payment_method_details: { type: 'card', card: { brand: 'visa', last4: '4242' } },
  refunded: session.payment!.refunded >= session.payment!.amount,
  status: 'succeeded',
});

/** `expand`: as asked for; the payment intent is an id without it, and null before anybody tried to pay. */
export function sessionShown(session: PaySession, expand: string[] = []): object {
  const isTried = session.payment !== null || session.hasFailed;
  const intent = expand.some((path) => path.startsWith('payment_intent'))
    ? intentShown(session, expand.includes('payment_intent.latest_charge'))
    : session.paymentId;
  const { params } = session;
  return {
    id: session.id,
    object: 'checkout.session',
    amount_subtotal: session.amount,
    amount_total: session.amount,
    cancel_url: session.cancelUrl || null,
    client_reference_id: session.reference || null,
    created: seconds(session.created),
    currency: session.currency,
    customer: null,
    customer_email: params.customer_email ?? null,
    expires_at: seconds(session.expiresAt),
    livemode: false,
    metadata: params.metadata ?? {},
    mode: 'payment',
    payment_intent: isTried ? intent : null,
    payment_method_types: ['card'],
    payment_status: session.payment ? 'paid' : 'unpaid',
    status: session.status === 'canceled' ? 'expired' : session.status,
    success_url: session.successUrl,
    ui_mode: 'hosted',
    url: session.status === 'open' ? session.url : null,
  };
}

export const refundShown = (refund: PayRefund): object => ({
  id: refund.id,
  object: 'refund',
  amount: refund.amount,
  charge: `ch_${refund.of.slice(3)}`,
  created: seconds(refund.created),
  currency: refund.currency,
  failure_reason: refund.status === 'failed' ? 'lost_or_stolen_card' : undefined,
  metadata: refund.metadata,
  payment_intent: refund.of,
  reason: null,
  status: refund.status,
});
