import { cut } from '../../platform/cut.ts';
import { parseStorable } from '../../platform/storable-text.ts';
import { ProviderError, ProviderFailed, ProviderRefused, ProviderUnknown } from '../errors.ts';
import { type Answer, boundedClient, retryAfterMs } from './client.ts';
import { sortRefusal } from './error-codes.ts';
import { decimalOf, numberOf, unitsOf } from './exponents.ts';
import type { NewPage, Page, PageStatus, PaymentCredentials, PaymentProvider, Received, RefundThere } from './provider.ts';

type Options = { url: string; timeoutMs: number };
type Fields = Record<string, unknown>;

/** Its sessions are for these countries; one follows from the currency. */
const countries: Record<string, string> = { IDR: 'ID', MYR: 'MY', PHP: 'PH', SGD: 'SG', THB: 'TH', VND: 'VN' };
/** Of the payments, not of the sessions. */
const version = { 'api-version': '2024-11-11' };

export function xenditPayments({ url, timeoutMs }: Options): { payments: PaymentProvider; close(): void } {
  const http = boundedClient({ name: 'Xendit', timeoutMs });
  const base = url.replace(/\/+$/, '');

  async function call(
    { secret_key = '' }: PaymentCredentials,
    method: 'GET' | 'POST',
    path: string,
    { json, headers = {} }: { json?: object; headers?: Record<string, string> } = {},
  ): Promise<Fields> {
    const answer = await http.call(method, `${base}${path}`, {
      headers: {
        accept: 'application/json',
        authorization: `Basic ${Buffer.from(`${secret_key}:`).toString('base64')}`,
        ...(method === 'POST' && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(method === 'POST' && { body: JSON.stringify(json ?? {}) }),
    });
    return readAnswer(answer, method);
  }

  async function pageWith(credentials: PaymentCredentials, session: Fields): Promise<Page> {
    const paymentId = text(session.payment_id);
    const received = paymentId
      ? receivedOf(await call(credentials, 'GET', `/v3/payments/${idIn(paymentId)}`, { headers: version }))
      : null;
    return { ...pageOf(session), received };
  }

  const readPage = async (credentials: PaymentCredentials, id: string): Promise<Page | undefined> => {
    const session = await orMissing(call(credentials, 'GET', `/sessions/${idIn(id)}`));
    return session && pageWith(credentials, session);
  };

  return {
    close: http.close,
    payments: {
      async verify(credentials) {
        await call(credentials, 'GET', '/balance');
        return { account: '' };
      },
      async createPage(credentials, page) {
        return pageWith(credentials, await call(credentials, 'POST', '/sessions', { json: sessionBody(page) }));
      },
      readPage,
      async closePage(credentials, id) {
        try {
          return pageWith(credentials, await call(credentials, 'POST', `/sessions/${idIn(id)}/cancel`));
        } catch (error) {
          // It is active no more, or nobody knows: what is read decides.
          if (error instanceof ProviderRefused && !error.stopsChannel) return readPage(credentials, id);
          throw error;
        }
      },
      async refund(credentials, { key, paymentId, amount, currency }) {
        const json = {
          reference_id: key,
          payment_request_id: paymentId,
          currency,
          amount: numberOf('xendit', amount, currency),
          reason: 'REQUESTED_BY_CUSTOMER',
        };
        return refundOf(await call(credentials, 'POST', '/refunds', { json, headers: { 'idempotency-key': `refund-${key}` } }));
      },
      async readRefund(credentials, id) {
        const refund = await orMissing(call(credentials, 'GET', `/refunds/${idIn(id)}`));
        return refund && refundOf(refund);
      },
    },
  };
}

function sessionBody(page: NewPage): object {
  const amount = numberOf('xendit', page.amount, page.currency);
  const { name, email, phone } = page.customer;
  return {
    reference_id: page.reference,
    session_type: 'PAY',
    mode: 'PAYMENT_LINK',
    amount,
    currency: page.currency,
    country: countries[page.currency],
    description: page.orderNo,
    expires_at: page.expiresAt.toISOString(),
    success_return_url: page.successUrl,
    cancel_return_url: page.cancelUrl,
    customer: {
      reference_id: page.reference,
      type: 'INDIVIDUAL',
      individual_detail: { given_names: cut(name, 50) || page.orderNo },
      ...(email && { email }),
      ...(phone && { mobile_number: phone }),
    },
  };
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '');
/** Ids are put into paths. */
const idIn = (id: string) => encodeURIComponent(id);

const statuses: Record<string, PageStatus> = {
  ACTIVE: 'open',
  COMPLETED: 'completed',
  EXPIRED: 'expired',
  CANCELED: 'cancelled',
  CANCELLED: 'cancelled',
};

function pageOf(session: Fields): Omit<Page, 'received'> {
  const [id, status] = [text(session.payment_session_id), statuses[text(session.status)]];
  if (!id || !status) throw new ProviderUnknown('Xendit answered with something that is no session');
  return { id, status, url: text(session.payment_link_url), reference: text(session.reference_id) };
}

/** What was captured, else what was asked for: the session says only the latter. */
function receivedOf(payment: Fields): Received | null {
  if (payment.status !== 'SUCCEEDED') return null;
  const currency = text(payment.currency);
  const captures = Array.isArray(payment.captures) ? (payment.captures as Fields[]) : [];
  const amounts = captures.length > 0 ? captures.map((one) => one.capture_amount) : [payment.request_amount];
  const units = amounts.map((amount) => unitsIn(amount, currency)).reduce((sum, one) => sum + one, 0n);
  return {
    paymentId: text(payment.payment_request_id) || text(payment.payment_id),
    amount: decimalOf('xendit', units, currency),
    currency,
    method: text(payment.channel_code),
  };
}

function unitsIn(amount: unknown, currency: string): bigint {
  try {
    return unitsOf('xendit', String(amount), currency);
  } catch (error) {
    // It is no refusal of ours: the payment is there, and can be read again.
    throw new ProviderFailed('Xendit answered with an amount that cannot be read', { cause: error });
  }
}

const refundStatuses: Record<string, RefundThere['status']> = { SUCCEEDED: 'succeeded', FAILED: 'failed', CANCELLED: 'failed' };

function refundOf(refund: Fields): RefundThere {
  const id = text(refund.id);
  if (!id) throw new ProviderUnknown('Xendit answered with something that is no refund');
  const status = refundStatuses[text(refund.status)] ?? 'pending';
  return { id, key: text(refund.reference_id), status, reason: text(refund.failure_code) };
}

/** Its words for a record that it does not have. Any other 404 is about the address, and says nothing of the record: money may be there. */
const missing = new Set(['DATA_NOT_FOUND', 'SESSION_NOT_FOUND', 'REFUND_NOT_FOUND']);
const orMissing = (call: Promise<Fields>): Promise<Fields | undefined> =>
  call.catch((error) => {
    if (error instanceof ProviderError && missing.has(error.providerCode ?? '')) return undefined;
    throw error;
  });

function readAnswer({ status, headers, body }: Answer, method: string): Fields {
  const isWrite = method !== 'GET';
  const parsed = parse(body);
  if (parsed && status >= 200 && status < 300) return parsed;
  if (status >= 200 && status < 300) {
    const message = `Xendit answered ${status} with something that is not its own`;
    throw isWrite ? new ProviderUnknown(message) : new ProviderFailed(message);
  }
  if (status === 404 && !isWrite && !text(parsed?.error_code))
    throw new ProviderFailed('Xendit, or something before it, answered 404 without a reason', { code: 'http_404' });
  const retryAfter = retryAfterMs(headers['retry-after']);
  throw sortRefusal({
    ...{ provider: 'Xendit', status, code: text(parsed?.error_code), message: text(parsed?.message), isWrite },
    ...(retryAfter !== undefined && { retryAfterMs: retryAfter }),
  });
}

function parse(body: string): Fields | undefined {
  try {
    const parsed: unknown = parseStorable(body);
    return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed) ? (parsed as Fields) : undefined;
  } catch {
    return undefined;
  }
}
