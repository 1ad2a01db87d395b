import { describe, expect, test } from '@jest/globals';
import { asDecimal } from '../../../../src/money/amounts.ts';
import { currencyCodes, digitsOf } from '../../../../src/money/currencies.ts';
import { ProviderRefused } from '../../../../src/providers/errors.ts';
import { decimalOf, numberOf, unitsOf } from '../../../../src/providers/payment/exponents.ts';

describe("a provider's units", () => {
  test.each([
    ['USD', '1234.56', 123_456n],
    ['JPY', '500', 500n],
    ['IDR', '150000.00', 15_000_000n],
    ['KWD', '1.230', 1_230n],
    ['ISK', '700', 70_000n],
    ['UGX', '700', 70_000n],
    ['MGA', '500.00', 500n],
  ])('Stripe counts %s %s as %s', (currency, decimal, units) => {
    expect(unitsOf('stripe', decimal, currency)).toBe(units);
  });

  test.each([
    ['stripe', 'KWD', '1.234'],
    ['stripe', 'MGA', '500.20'],
    ['stripe', 'JPY', '0.5'],
    ['stripe', 'LYD', '1.000'],
    ['stripe', 'CLF', '1.0000'],
    ['xendit', 'IDR', '150000.50'],
    ['xendit', 'EUR', '10.00'],
    ['xendit', 'PHP', '1.005'],
  ] as const)('%s refuses %s %s', (provider, currency, decimal) => {
    expect(() => unitsOf(provider, decimal, currency)).toThrow(ProviderRefused);
  });

  test('what is taken comes back as the same amount, in every currency', () => {
    const taken = currencyCodes.filter((currency) => {
      const digits = digitsOf(currency);
      const amount = asDecimal({ minor: 12_300n, currency });
      try {
        const back = decimalOf('stripe', unitsOf('stripe', amount, currency), currency);
        const scaled = (text: string) => BigInt(text.replace('.', '')) * 10n ** BigInt(6 - (text.split('.')[1]?.length ?? 0));
        expect([currency, scaled(back)]).toEqual([currency, scaled(amount)]);
        return true;
      } catch (error) {
        expect(error).toBeInstanceOf(ProviderRefused);
        expect(digits).not.toBe(2);
        return false;
      }
    });
    expect(taken).toContain('USD');
    expect(taken).not.toContain('IQD');
  });

  test('Xendit gets a number that says the same', () => {
    expect(numberOf('xendit', '150000.00', 'IDR')).toBe(150_000);
    expect(numberOf('xendit', '99.95', 'PHP')).toBe(99.95);
    expect(() => numberOf('xendit', '90071992547409.91', 'PHP')).toThrow(ProviderRefused);
  });
});
