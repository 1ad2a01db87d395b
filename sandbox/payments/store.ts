import { randomBytes } from 'node:crypto';

export type PaymentProvider = 'stripe' | 'xendit';
/** What a customer does, or the clock. */
export type Act = 'pay' | 'fail' | 'expire';

export type SessionStatus = 'open' | 'complete' | 'expired' | 'canceled';

/** Amounts are in the provider's own units: what Stripe calls the smallest, what Xendit writes as a number. */
export type PayPayment = { id: string; requestId: string; amount: number; currency: string; method: string; refunded: number };

export type PaySession = {
  provider: PaymentProvider;
  /** Of the account. */
  key: string;
  id: string;
  status: SessionStatus;
  reference: string;
  amount: number;
  currency: string;
  successUrl: string;
  cancelUrl: string;
  url: string;
  created: number;
  expiresAt: number;
  params: Record<string, unknown>;
  paymentId: string;
  requestId: string;
  payment: PayPayment | null;
  hasFailed: boolean;
};

export type PayRefund = {
  provider: PaymentProvider;
  key: string;
  id: string;
  /** Of the payment: the intent, the payment request. */
  of: string;
  amount: number;
  currency: string;
  status: 'pending' | 'succeeded' | 'failed';
  reference: string;
  metadata: Record<string, unknown>;
  created: number;
};

export type PayWebhook = { url: string; secret: string };

type Kept = { request: string; status: number; body: unknown };

const goodKeys: Record<PaymentProvider, RegExp> = {
  stripe: /^(sk|rk)_test_[A-Za-z0-9]{4,200}$/,
  xendit: /^xnd_development_[A-Za-z0-9]{4,200}$/,
};

export const payId = (prefix: string, bytes = 12) => `${prefix}${randomBytes(bytes).toString('hex')}`;

/** Both providers' accounts: each secret key is one. */
export class Payments {
  readonly sessions = new Map<string, PaySession>();
  readonly refunds = new Map<string, PayRefund>();
  readonly #revoked = new Set<string>();
  readonly #webhooks = new Map<string, PayWebhook>();
  readonly #kept = new Map<string, Kept>();

  isGood(provider: PaymentProvider, key: string): boolean {
    return goodKeys[provider].test(key) && !this.#revoked.has(key);
  }

  setRevoked(key: string, isRevoked: boolean): void {
    if (isRevoked) this.#revoked.add(key);
    else this.#revoked.delete(key);
  }

  setWebhook(key: string, webhook: PayWebhook | null): void {
    if (webhook) this.#webhooks.set(key, webhook);
    else this.#webhooks.delete(key);
  }

  webhookOf(key: string): PayWebhook | undefined {
    return this.#webhooks.get(key);
  }

  /** The answer to the first call under an idempotency key. */
  kept(key: string, idempotencyKey: string): Kept | undefined {
    return this.#kept.get(`${key} ${idempotencyKey}`);
  }

  keep(key: string, idempotencyKey: string, kept: Kept): void {
    this.#kept.set(`${key} ${idempotencyKey}`, kept);
  }

  /** As the clock has it: a session ends by itself. */
  find(id: string): PaySession | undefined {
    const session = this.sessions.get(id);
    if (session?.status === 'open' && session.expiresAt <= Date.now()) session.status = 'expired';
    return session;
  }

  /** By the provider's id, or by the merchant's reference. */
  named(id: string): PaySession | undefined {
    const session = this.find(id);
    if (session) return session;
    const ofReference = [...this.sessions.values()].findLast(({ reference }) => reference === id);
    return ofReference && this.find(ofReference.id);
  }

  ofPayment(id: string): PaySession | undefined {
    return [...this.sessions.values()].find(({ paymentId, requestId }) => paymentId === id || requestId === id);
  }
}
