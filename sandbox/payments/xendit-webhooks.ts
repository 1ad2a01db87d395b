import type { Act, PayRefund, PaySession } from './store.ts';
import { businessId, xenditPayment, xenditRefund, xenditSession } from './xendit-objects.ts';

const event = (name: string, data: object) => ({
  event: name,
  business_id: businessId,
  created: new Date().toISOString(),
  api_version: 'v3',
  data,
});

export function xenditEvents(session: PaySession, act: Act): object[] {
  if (act === 'expire') return [event('payment_session.expired', xenditSession(session))];
  if (act === 'fail') return [event('payment.failure', xenditPayment(session))];
  return [event('payment.capture', xenditPayment(session)), event('payment_session.completed', xenditSession(session))];
}

export const xenditRefundEvent = (refund: PayRefund): object =>
  event(refund.status === 'failed' ? 'refund.failed' : 'refund.succeeded', xenditRefund(refund));
