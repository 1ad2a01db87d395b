import { ProviderRefused } from '../errors.ts';
import type { PaymentProviderName } from './provider.ts';

/** How many decimals of a currency the provider counts in. `multipleOf`: the least step it takes, in its own units. */
type Unit = { exponent: number; multipleOf: bigint };

const all = (codes: string, exponent: number, multipleOf = 1n): [string, Unit][] =>
  codes.split(' ').map((code) => [code, { exponent, multipleOf }]);

/**
 * Where Stripe has no two decimals (docs.stripe.com/currencies): ariary have none there, krónur and Ugandan shillings two that must be
 * zero, currencies of three decimals a last one that must be zero.
 */
const stripe = new Map<string, Unit>([
  ...all('BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF VND VUV XAF XOF XPF', 0),
  ...all('ISK UGX', 2, 100n),
  ...all('BHD JOD KWD OMR TND', 3, 10n),
]);
/** Of another kind than two decimals, and not in Stripe's lists: their unit there cannot be guessed. */
const unlisted = new Set(['CLF', 'IQD', 'LYD', 'UYI', 'UYW']);
const usual: Unit = { exponent: 2, multipleOf: 1n };

/** Whole rupiah and dong. */
const xendit = new Map<string, Unit>([...all('IDR VND', 0), ...all('MYR PHP SGD THB', 2)]);

function unitOf(provider: PaymentProviderName, currency: string): Unit {
  const unit =
    provider === 'xendit' ? xendit.get(currency) : (stripe.get(currency) ?? (unlisted.has(currency) ? undefined : usual));
  if (!unit) throw new ProviderRefused(`${provider} does not take ${currency}`, { code: 'currency' });
  return unit;
}

const decimalText = /^(\d{1,18})(?:\.(\d{1,6}))?$/;

/** Throws ProviderRefused, before any call, where the provider cannot express the amount exactly. */
export function unitsOf(provider: PaymentProviderName, decimal: string, currency: string): bigint {
  const { exponent, multipleOf } = unitOf(provider, currency);
  const [, whole = '', part = ''] = decimalText.exec(decimal) ?? [];
  const used = part.replace(/0+$/, '');
  const units = whole !== '' && used.length <= exponent ? BigInt(whole + used.padEnd(exponent, '0')) : undefined;
  if (units === undefined || units % multipleOf !== 0n)
    throw new ProviderRefused(`${provider} cannot express ${decimal} ${currency} exactly`, { code: 'amount' });
  return units;
}

export function decimalOf(provider: PaymentProviderName, units: bigint, currency: string): string {
  const { exponent } = unitOf(provider, currency);
  const text = String(units).padStart(exponent + 1, '0');
  return exponent === 0 ? text : `${text.slice(0, -exponent)}.${text.slice(-exponent)}`;
}

/** A JSON number holds 15 digits exactly. */
const maxDigits = 15;

/** As Xendit writes amounts: a JSON number with decimals. */
export function numberOf(provider: PaymentProviderName, decimal: string, currency: string): number {
  const units = unitsOf(provider, decimal, currency);
  if (String(units).length > maxDigits)
    throw new ProviderRefused(`${provider} cannot express ${decimal} ${currency} exactly`, { code: 'amount' });
  return Number(decimalOf(provider, units, currency));
}
