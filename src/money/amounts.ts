import { digitsOf } from './currencies.ts';
import { type Ratio, rounded } from './ratio.ts';

/** Of an amount that a client gives, in minor units: what a bigint of the database holds. */
export const maxMinor = 2n ** 63n - 1n;
const minor = /^(0|[1-9]\d{0,18})$/;

export const isAmountMinor = (text: string) => minor.test(text) && BigInt(text) <= maxMinor;

/** An amount is a count of the currency's minor units: 1250.00 USD is 125000n. */
export type Money = { minor: bigint; currency: string };

const scale = (currency: string) => 10n ** BigInt(digitsOf(currency));

/** Exact up to its one rounding, at the end, half away from zero. The result may be more than maxMinor. */
export const converted = ({ minor, currency }: Money, to: string, rate: Ratio): Money => ({
  minor: rounded({ over: minor * rate.over * scale(to), under: rate.under * scale(currency) }),
  currency: to,
});

/** `1250.5` EUR is 125050; undefined where the text has more digits than the currency, or is more than a bigint of the database holds. */
export function minorOf(decimal: string, currency: string): string | undefined {
  const [whole = '', part = ''] = decimal.split('.');
  const digits = digitsOf(currency);
  if (part.replace(/0+$/, '').length > digits) return undefined;
  const minor = BigInt(whole + part.slice(0, digits).padEnd(digits, '0'));
  return minor <= maxMinor ? String(minor) : undefined;
}

/** With all digits of the currency: `1250.00`, in JPY `1250`. */
export function asDecimal({ minor, currency }: Money): string {
  const digits = digitsOf(currency);
  const sign = minor < 0n ? '-' : '';
  const text = String(minor < 0n ? -minor : minor).padStart(digits + 1, '0');
  if (digits === 0) return sign + text;
  return `${sign}${text.slice(0, -digits)}.${text.slice(-digits)}`;
}
