import { StripeError } from './stripe-errors.ts';

type Params = Record<string, unknown>;

const invalid = (message: string, param?: string, code?: string) =>
  new StripeError(400, { type: 'invalid_request_error', message, ...(param && { param }), ...(code && { code }) });
const missing = (param: string) => invalid(`Missing required param: ${param}.`, param, 'parameter_missing');

const known = new Set([
  ...['mode', 'client_reference_id', 'line_items', 'success_url', 'cancel_url', 'expires_at', 'metadata'],
  ...['payment_intent_data', 'adaptive_pricing', 'expand', 'customer_email', 'locale', 'payment_method_types'],
]);

/** Half an hour to a day, as Stripe has it. */
const [leastMs, mostMs] = [30 * 60_000, 24 * 3_600_000];

export type NewSession = {
  amount: number;
  currency: string;
  successUrl: string;
  cancelUrl: string;
  expiresAt: number;
  reference: string;
};

export function sessionOf(params: Params): NewSession {
  const unknown = Object.keys(params).find((name) => !known.has(name));
  if (unknown) throw invalid(`Received unknown parameter: ${unknown}`, unknown, 'parameter_unknown');
  if (params.mode !== 'payment') throw missing('mode');
  const lines = Array.isArray(params.line_items) ? (params.line_items as Params[]) : [];
  if (lines.length === 0) throw missing('line_items');
  const successUrl = urlIn(params, 'success_url');
  if (!successUrl) throw missing('success_url');
  const priced = lines.map((line, index) => amountOf(line, `line_items[${index}]`));
  const currencies = new Set(priced.map(({ currency }) => currency));
  if (currencies.size > 1) throw invalid('All prices on a Checkout session must use the same currency.', 'line_items');
  const amount = priced.reduce((sum, one) => sum + one.amount, 0);
  if (amount < 1)
    throw invalid('The Checkout Session’s total amount due must add up to at least one unit', 'line_items', 'amount_too_small');
  if (amount > 99_999_999_999) throw invalid('Amount must be no more than 999,999,999.99', 'line_items', 'amount_too_large');
  const { customer_email: email } = params;
  if (email !== undefined && !/^[^@\s]+@[^@\s]+\.[^@\s]+$/.test(String(email)))
    throw invalid(`Invalid email address: ${email}`, 'customer_email', 'email_invalid');
  return {
    ...{ amount, currency: priced[0]!.currency, successUrl, cancelUrl: urlIn(params, 'cancel_url') },
    ...{ expiresAt: endOf(params.expires_at), reference: String(params.client_reference_id ?? '') },
  };
}

function endOf(expiresAt: unknown): number {
  if (expiresAt === undefined) return Date.now() + mostMs;
  const at = whole(expiresAt, 'expires_at') * 1000;
  // Its clock has seconds.
  if (at < Date.now() + leastMs - 1_000)
    throw invalid('The `expires_at` timestamp must be at least 30 minutes from Checkout Session creation.', 'expires_at');
  if (at > Date.now() + mostMs + 1_000)
    throw invalid('The `expires_at` timestamp must be less than 24 hours from Checkout Session creation.', 'expires_at');
  return at;
}

function amountOf(line: Params, at: string): { amount: number; currency: string } {
  const price = line.price_data as Params | undefined;
  if (!price) throw missing(`${at}[price_data]`);
  const currency = String(price.currency ?? '');
  if (!/^[a-z]{3}$/.test(currency)) throw invalid(`Invalid currency: ${currency}.`, `${at}[price_data][currency]`);
  const name = (price.product_data as Params | undefined)?.name;
  if (typeof name !== 'string' || name === '') throw missing(`${at}[price_data][product_data][name]`);
  const amount = whole(price.unit_amount, `${at}[price_data][unit_amount]`) * whole(line.quantity, `${at}[quantity]`);
  return { amount, currency };
}

export function whole(value: unknown, param: string): number {
  if (value === undefined || value === '') throw missing(param);
  if (!/^\d{1,15}$/.test(String(value))) throw invalid(`Invalid integer: ${value}`, param, 'parameter_invalid_integer');
  return Number(value);
}

function urlIn(params: Params, name: string): string {
  const value = params[name];
  if (value === undefined || value === '') return '';
  if (!/^https?:$/.test(URL.parse(String(value))?.protocol ?? '')) throw invalid('Not a valid URL', name, 'url_invalid');
  return String(value);
}
