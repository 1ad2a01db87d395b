import Stripe from 'stripe';
import { ProviderFailed, ProviderRefused } from '../errors.ts';
import { boundedClient, retryAfterMs } from './client.ts';
import { sortRefusal } from './error-codes.ts';
import { decimalOf, unitsOf } from './exponents.ts';
import type { NewPage, Page, PageStatus, PaymentCredentials, PaymentProvider, Received, RefundThere } from './provider.ts';
import { faultBehind, stripeHttp } from './stripe-http.ts';

type Session = Stripe.Checkout.Session;
type Options = { url: string; timeoutMs: number };

const expanded = ['payment_intent.latest_charge'];

/** The package's client takes a host and a port, no path. A client is cheap: the connections are ours. */
export function stripePayments({ url, timeoutMs }: Options): { payments: PaymentProvider; close(): void } {
  const http = boundedClient({ name: 'Stripe', timeoutMs });
  const { protocol, hostname, port } = new URL(url);
  const base = {
    host: hostname,
    port: port || (protocol === 'http:' ? 80 : 443),
    protocol: protocol === 'http:' ? ('http' as const) : ('https' as const),
    httpClient: stripeHttp(http),
    maxNetworkRetries: 0,
    timeout: timeoutMs,
    telemetry: false,
  };
  const clientFor = ({ secret_key = '' }: PaymentCredentials) => {
    if (!/^[\x21-\x7e]{1,255}$/.test(secret_key))
      throw new ProviderRefused('The secret key is none', { code: 'api_key', stopsChannel: 'auth_error' });
    return new Stripe(secret_key, base);
  };
  const readPage = async (credentials: PaymentCredentials, id: string): Promise<Page | undefined> => {
    const read = reading(() => clientFor(credentials).checkout.sessions.retrieve(id, { expand: expanded }));
    const session = await orMissing(read);
    return session && pageOf(session);
  };
  return {
    close: http.close,
    payments: {
      async verify(credentials) {
        const account = await reading(() => clientFor(credentials).accounts.retrieveCurrent());
        const name = account.settings?.dashboard?.display_name || account.business_profile?.name;
        return { account: name ? `${name} (${account.id})` : account.id };
      },
      async createPage(credentials, page) {
        const given = sessionParams(page);
        return pageOf(
          await writing(() => clientFor(credentials).checkout.sessions.create(given, { idempotencyKey: page.reference })),
        );
      },
      readPage,
      async closePage(credentials, id) {
        try {
          return pageOf(await writing(() => clientFor(credentials).checkout.sessions.expire(id, { expand: expanded })));
        } catch (error) {
          // It is open no more: what became of it is read.
          if (error instanceof ProviderRefused && !error.stopsChannel) return readPage(credentials, id);
          throw error;
        }
      },
      async refund(credentials, { key, paymentId, amount, currency }) {
        const units = Number(unitsOf('stripe', amount, currency));
        const given = { payment_intent: paymentId, amount: units, metadata: { refund_id: key } };
        return refundOf(await writing(() => clientFor(credentials).refunds.create(given, { idempotencyKey: `refund-${key}` })));
      },
      async readRefund(credentials, id) {
        const refund = await orMissing(reading(() => clientFor(credentials).refunds.retrieve(id)));
        return refund && refundOf(refund);
      },
    },
  };
}

/** The same page always gives the same: Stripe refuses another body under a key that it knows. */
function sessionParams(page: NewPage): Stripe.Checkout.SessionCreateParams {
  const units = unitsOf('stripe', page.amount, page.currency);
  if (units > BigInt(Number.MAX_SAFE_INTEGER)) throw new ProviderRefused('Stripe cannot express the amount', { code: 'amount' });
  const metadata = { reference: page.reference, order_no: page.orderNo };
  return {
    mode: 'payment',
    client_reference_id: page.reference,
    line_items: [
      {
        quantity: 1,
        price_data: {
          currency: page.currency.toLowerCase(),
          unit_amount: Number(units),
          product_data: { name: page.orderNo },
        },
      },
    ],
    success_url: page.successUrl,
    cancel_url: page.cancelUrl,
    expires_at: Math.floor(page.expiresAt.getTime() / 1000),
    metadata,
    payment_intent_data: { metadata },
    // One amount in one currency: a converted one would not be what is owed.
    adaptive_pricing: { enabled: false },
    expand: expanded,
    ...(page.customer.email && { customer_email: page.customer.email }),
  };
}

function pageOf(session: Session): Page {
  return {
    id: session.id,
    status: statusOf(session),
    url: session.url ?? '',
    reference: session.client_reference_id ?? '',
    received: receivedOf(session),
  };
}

const intentOf = ({ payment_intent: intent }: Session) => (typeof intent === 'object' ? intent : null);

function statusOf(session: Session): PageStatus {
  if (session.status === 'open') return 'open';
  if (session.status === 'expired') return 'expired';
  if (session.payment_status !== 'unpaid') return 'completed';
  // Complete and unpaid: a method that takes days. Its payment comes back to the beginning when it fails.
  const state = intentOf(session)?.status;
  return state === 'requires_payment_method' || state === 'canceled' ? 'failed' : 'processing';
}

function receivedOf(session: Session): Received | null {
  const intent = intentOf(session);
  if (session.payment_status !== 'paid' || !intent) return null;
  const currency = intent.currency.toUpperCase();
  const charge = typeof intent.latest_charge === 'object' ? intent.latest_charge : null;
  return {
    paymentId: intent.id,
    amount: decimalOf('stripe', BigInt(intent.amount_received), currency),
    currency,
    method: charge?.payment_method_details?.type ?? session.payment_method_types?.[0] ?? '',
  };
}

function refundOf({ id, status, failure_reason, metadata }: Stripe.Refund): RefundThere {
  const hasFailed = status === 'failed' || status === 'canceled';
  const now = hasFailed ? 'failed' : status === 'succeeded' ? 'succeeded' : 'pending';
  return { id, key: metadata?.refund_id ?? '', status: now, reason: failure_reason ?? '' };
}

const missing = 'resource_missing';
const orMissing = <Answer>(call: Promise<Answer>): Promise<Answer | undefined> =>
  call.catch((error) => {
    if (error instanceof ProviderRefused && error.providerCode === missing) return undefined;
    throw error;
  });

const reading = <Answer>(call: () => Promise<Answer>) => sorted(call, false);
const writing = <Answer>(call: () => Promise<Answer>) => sorted(call, true);

async function sorted<Answer>(call: () => Promise<Answer>, isWrite: boolean): Promise<Answer> {
  try {
    return await call();
  } catch (error) {
    const fault = faultBehind(error);
    if (fault) throw fault;
    if (!(error instanceof Stripe.errors.StripeError)) throw error;
    const { statusCode: status, code, rawType, message, headers } = error;
    if (status === undefined) throw new ProviderFailed(message, { code, cause: error });
    const retryAfter = retryAfterMs(headers?.['retry-after']);
    throw sortRefusal({
      ...{ provider: 'Stripe', status, code: code ?? rawType ?? '', message, isWrite },
      ...(retryAfter !== undefined && { retryAfterMs: retryAfter }),
    });
  }
}
