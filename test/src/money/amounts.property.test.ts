import { expect, test } from '@jest/globals';
import { asDecimal, converted, isAmountMinor, maxMinor } from '../../../src/money/amounts.ts';
import { currencyCodes, digitsOf } from '../../../src/money/currencies.ts';
import { inverse, one, ratioOf, rounded, times } from '../../../src/money/ratio.ts';
import { fc, numRuns } from '../../support/fast-check.ts';

const runs = { numRuns: numRuns({ default: 300, deep: 2000 }) };
const minor = fc.oneof(fc.bigInt({ min: 0n, max: maxMinor }), fc.constantFrom(0n, 1n, 5n, 50n, maxMinor - 1n, maxMinor));
const currency = fc.constantFrom(...currencyCodes);
/** What numeric(24, 12) holds, as the database writes it. */
const scaled = fc.bigInt({ min: 1n, max: 10n ** 24n - 1n });
const rate = fc.oneof(scaled, fc.bigInt({ min: 1n, max: 10n ** 14n })).map((value) => {
  const text = String(value).padStart(13, '0');
  return { text: `${text.slice(0, -12)}.${text.slice(-12)}`, value };
});

/** The model: the distance of the result from the exact fraction over / under is at most a half, and a half goes up. */
function isNearest(result: bigint, over: bigint, under: bigint): boolean {
  const twice = 2n * (result * under - over);
  return twice > -under && twice <= under;
}
const power = (code: string) => 10n ** BigInt(digitsOf(code));
const scaleOfRates = 10n ** 12n;

test('a direct rate is exact to the nearest minor unit, a half away from zero', () => {
  fc.assert(
    fc.property(minor, currency, currency, rate, (amount, from, to, { text, value }) => {
      const result = converted({ minor: amount, currency: from }, to, ratioOf(text));
      expect(result.currency).toBe(to);
      expect(isNearest(result.minor, amount * value * power(to), scaleOfRates * power(from))).toBe(true);
    }),
    runs,
  );
});

test('an inverse rate is divided by, not multiplied with its rounded inverse', () => {
  fc.assert(
    fc.property(minor, currency, currency, rate, (amount, from, to, { text, value }) => {
      const result = converted({ minor: amount, currency: from }, to, inverse(ratioOf(text)));
      expect(isNearest(result.minor, amount * scaleOfRates * power(to), value * power(from))).toBe(true);
    }),
    runs,
  );
});

test('a crossed rate is rounded once, whatever the order of its legs', () => {
  fc.assert(
    fc.property(minor, currency, currency, rate, rate, (amount, from, to, first, second) => {
      const [there, back] = [ratioOf(first.text), inverse(ratioOf(second.text))];
      const result = converted({ minor: amount, currency: from }, to, times(there, back));
      expect(converted({ minor: amount, currency: from }, to, times(back, there))).toEqual(result);
      expect(isNearest(result.minor, amount * first.value * power(to), second.value * power(from))).toBe(true);
    }),
    runs,
  );
});

test('with the rate 1 and in its own currency no minor unit is lost or made', () => {
  fc.assert(
    fc.property(minor, currency, (amount, code) => {
      expect(converted({ minor: amount, currency: code }, code, one).minor).toBe(amount);
    }),
    runs,
  );
});

test('a decimal has the digits of its currency and stands for the same amount', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        minor,
        minor.map((amount) => -amount),
      ),
      currency,
      (amount, code) => {
        const text = asDecimal({ minor: amount, currency: code });
        const [whole, part = ''] = text.split('.');
        expect(part).toHaveLength(digitsOf(code));
        expect(BigInt(whole!.replace('-', '') + part)).toBe(amount < 0n ? -amount : amount);
        expect(text.startsWith('-')).toBe(amount < 0n);
        expect(/^-?(0|[1-9]\d*)(\.\d+)?$/.test(text)).toBe(true);
      },
    ),
    runs,
  );
});

test('rounding is half away from zero, on both sides of it', () => {
  const halves = [
    [1n, 2n],
    [-1n, 2n],
    [3n, 2n],
    [-3n, 2n],
    [49n, 100n],
    [-49n, 100n],
  ] as const;
  expect(halves.map(([over, under]) => rounded({ over, under }))).toEqual([1n, -1n, 2n, -2n, 0n, 0n]);
});

test('a rate may be written without decimals', () => {
  expect(ratioOf('3')).toEqual({ over: 3n, under: 1n });
  expect(ratioOf('0.000000000001')).toEqual({ over: 1n, under: 10n ** 12n });
});

test('an amount is what a bigint of the database holds', () => {
  fc.assert(fc.property(minor, (amount) => expect(isAmountMinor(String(amount))).toBe(true)));
  expect(isAmountMinor(String(maxMinor + 1n))).toBe(false);
});
