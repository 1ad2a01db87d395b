import { createHmac, timingSafeEqual } from 'node:crypto';
import type { PaymentHint, PaymentProviderName } from './provider.ts';

type Headers = Record<string, string | undefined>;

/** As the provider allows itself between signing and arriving. */
const toleranceMs = 300_000;
const maxSignatures = 10;

/** Of the raw bytes, in constant time. By hand: a web process need not load the provider's package for it. */
export const isSignedBy: Record<
  PaymentProviderName,
  (headers: Headers, rawBody: Buffer, secret: string, now: number) => boolean
> = {
  stripe(headers, rawBody, secret, now) {
    const parts = (headers['stripe-signature'] ?? '').split(',').map((part) => part.trim().split('=') as [string, string?]);
    const time = parts.find(([name]) => name === 't')?.[1] ?? '';
    if (secret === '' || !/^\d{1,12}$/.test(time)) return false;
    // Both ways: a time that is far ahead was not made by the provider either.
    if (Math.abs(now - Number(time) * 1000) > toleranceMs) return false;
    const expected = createHmac('sha256', secret).update(`${time}.`).update(rawBody).digest('hex');
    const given = parts.filter(([name]) => name === 'v1').slice(0, maxSignatures);
    return given.map(([, value = '']) => isEqual(value, expected)).some(Boolean);
  },
  xendit: (headers, _rawBody, secret) => secret !== '' && isEqual(headers['x-callback-token'] ?? '', secret),
};

/** Of hashes, so that the length says nothing either. */
function isEqual(one: string, other: string): boolean {
  const hashed = (text: string) => createHmac('sha256', 'kanal').update(text).digest();
  return timingSafeEqual(hashed(one), hashed(other));
}

type Fields = Record<string, unknown>;
const fields = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
const text = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' && value.length <= 255 ? value : undefined;
const idOf = (value: unknown) => text(value) ?? text(fields(value).id);

/** The provider's id of the webhook, the same each time it is repeated. Undefined: it has none, or needs the header. */
export const webhookId: Record<PaymentProviderName, (headers: Headers, body: unknown) => string | undefined> = {
  stripe: (_headers, body) => text(fields(body).id),
  xendit: (headers) => text(headers['webhook-id']),
};

const given = (hint: Record<keyof PaymentHint, string | undefined>): PaymentHint =>
  Object.fromEntries(Object.entries(hint).filter(([, value]) => value !== undefined));

/** What it is about. Nothing it says of amounts or states is read. */
export const hintOf: Record<PaymentProviderName, (body: unknown) => PaymentHint> = {
  stripe(body) {
    const object = fields(fields(fields(body).data).object);
    const is = (name: string) => object.object === name;
    return given({
      pageId: is('checkout.session') ? text(object.id) : undefined,
      reference: text(object.client_reference_id) ?? text(fields(object.metadata).reference),
      paymentId: is('payment_intent') ? text(object.id) : idOf(object.payment_intent),
      refundId: is('refund') ? text(object.id) : undefined,
      refundKey: is('refund') ? text(fields(object.metadata).refund_id) : undefined,
    });
  },
  xendit(body) {
    const { event, data } = fields(body);
    const about = fields(data);
    const isRefund = text(event)?.startsWith('refund.') ?? false;
    return given({
      pageId: text(about.payment_session_id),
      reference: isRefund ? undefined : text(about.reference_id),
      paymentId: text(about.payment_request_id),
      refundId: isRefund ? text(about.id) : undefined,
      refundKey: isRefund ? text(about.reference_id) : undefined,
    });
  },
};
