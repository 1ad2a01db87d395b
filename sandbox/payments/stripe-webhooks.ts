import { type Act, type PayRefund, type PaySession, payId } from './store.ts';
import { apiVersion, intentShown, refundShown, sessionShown } from './stripe-objects.ts';

const event = (type: string, object: object) => ({
  id: payId('evt_'),
  object: 'event',
  api_version: apiVersion,
  created: Math.floor(Date.now() / 1000),
  type,
  data: { object },
  livemode: false,
  pending_webhooks: 1,
  request: { id: null, idempotency_key: null },
});

export function stripeEvents(session: PaySession, act: Act): object[] {
  if (act === 'expire') return [event('checkout.session.expired', sessionShown(session))];
  if (act === 'fail') return [event('payment_intent.payment_failed', intentShown(session))];
  return [event('payment_intent.succeeded', intentShown(session)), event('checkout.session.completed', sessionShown(session))];
}

export const stripeRefundEvent = (refund: PayRefund): object =>
  event(refund.status === 'failed' ? 'refund.failed' : 'refund.updated', refundShown(refund));
