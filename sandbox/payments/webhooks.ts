import { createHmac } from 'node:crypto';
import type { State } from '../state.ts';
import { type PaymentProvider, payId } from './store.ts';

/** The request whose faults hold for what it causes. */
export type Cause = { method: string; originalUrl: string };

type Headers = Record<string, string>;

/** Signed when it is sent, as the provider does: a repeated one has the same id and a new time. */
const signed: Record<PaymentProvider, (body: Buffer, secret: string, id: string) => Headers> = {
  stripe(body, secret) {
    const time = Math.floor(Date.now() / 1000);
    return { 'stripe-signature': stripeSignature(body, secret, time) };
  },
  xendit: (_body, secret, id) => ({ 'x-callback-token': secret, 'webhook-id': id }),
};

export function stripeSignature(body: Buffer | string, secret: string, time: number): string {
  const mac = createHmac('sha256', secret).update(`${time}.`).update(body).digest('hex');
  return `t=${time},v1=${mac}`;
}

/** To the address that the account has set, if it has. */
export function tellPayments(
  state: State,
  { provider, key }: { provider: PaymentProvider; key: string },
  events: object[],
  { method, originalUrl }: Cause,
): void {
  const webhook = state.payments.webhookOf(key);
  if (!webhook) return;
  const callbacks = events.map((event) => {
    const body = Buffer.from(JSON.stringify(event));
    const id = payId('wh-');
    return { url: webhook.url, build: () => ({ body, headers: signed[provider](body, webhook.secret, id) }) };
  });
  const [path = '/'] = originalUrl.split('?', 1);
  state.callbacks.scheduleFor(callbacks, state.faults, method, path);
}
