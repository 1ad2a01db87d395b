import type { PayRefund, PaySession } from './store.ts';

export const businessId = '5f27a14a9bf05c73dd040bc8';

const statuses = { open: 'ACTIVE', complete: 'COMPLETED', expired: 'EXPIRED', canceled: 'CANCELED' } as const;
const iso = (ms: number) => new Date(ms).toISOString();

export const xenditSession = (session: PaySession): object => ({
  payment_session_id: session.id,
  created: iso(session.created),
  updated: iso(Date.now()),
  status: statuses[session.status],
  reference_id: session.reference,
  session_type: 'PAY',
  currency: session.currency,
  amount: session.amount,
  country: session.params.country,
  mode: 'PAYMENT_LINK',
  capture_method: 'AUTOMATIC',
  expires_at: iso(session.expiresAt),
  payment_link_url: session.url,
  success_return_url: session.successUrl,
  cancel_return_url: session.cancelUrl,
  business_id: businessId,
  payment_request_id: session.payment ? session.requestId : null,
  payment_id: session.payment ? session.paymentId : null,
});

export const xenditPayment = (session: PaySession): object => ({
  payment_id: session.paymentId,
  business_id: businessId,
  payment_request_id: session.requestId,
  reference_id: session.reference,
  type: 'PAY',
  country: session.params.country,
  currency: session.currency,
  request_amount: session.amount,
  capture_method: 'AUTOMATIC',
  channel_code: session.payment?.method ?? 'QRIS',
  captures: session.payment
    ? [
        {
          capture_id: `cap-${session.paymentId.slice(3)}`,
          capture_amount: session.payment.amount,
          capture_timestamp: iso(session.created),
        },
      ]
    : [],
  status: session.payment ? 'SUCCEEDED' : 'FAILED',
});

export const xenditRefund = (refund: PayRefund): object => ({
  id: refund.id,
  payment_request_id: refund.of,
  reference_id: refund.reference,
  amount: refund.amount,
  currency: refund.currency,
  status: refund.status.toUpperCase(),
  reason: 'REQUESTED_BY_CUSTOMER',
  failure_code: refund.status === 'failed' ? 'INSUFFICIENT_BALANCE' : null,
  created: iso(refund.created),
  updated: iso(Date.now()),
  metadata: refund.metadata,
});
