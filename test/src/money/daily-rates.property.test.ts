import { expect, test } from '@jest/globals';
import { ratesAtHome } from '../../../src/money/daily-rates.ts';
import { ratioOf } from '../../../src/money/ratio.ts';
import { fc, numRuns } from '../../support/fast-check.ts';

const rate = fc.bigInt({ min: 1n, max: 10n ** 10n }).map((value) =>
  String(value)
    .padStart(5, '0')
    .replace(/(\d{4})$/, '.$1'),
);
const others = ['USD', 'GBP', 'JPY', 'IDR', 'KWD'];
const rates = fc
  .tuple(...others.map(() => rate))
  .map((all) => all.map((one, index) => ({ currency: others[index]!, rate: one })));
const home = fc.constantFrom('EUR', ...others);

test('each currency of the feed has one rate against home, above 1 and exact to 12 decimals', () => {
  fc.assert(
    fc.property(rates, home, (given, own) => {
      const found = ratesAtHome({ base: 'EUR', day: '2026-11-20', rates: given }, own);
      const inEuro = new Map([['EUR', '1'], ...given.map(({ currency, rate }) => [currency, rate] as const)]);
      expect(found.map(({ base, quote }) => (base === own ? quote : base)).sort()).toEqual(
        [...inEuro.keys()].filter((code) => code !== own).sort(),
      );
      for (const { base, quote, rate, effective_at } of found) {
        expect(effective_at).toBe('2026-11-20T16:00:00Z');
        expect(rate).toMatch(/^[1-9]\d*\.\d{12}$/);
        // The exact rate is quote / base of the euro: it differs by at most half of the last decimal.
        const [over, under] = [ratioOf(inEuro.get(quote)!), ratioOf(inEuro.get(base)!)];
        const stored = ratioOf(rate);
        const exact = { over: over.over * under.under, under: over.under * under.over };
        const distance = stored.over * exact.under - exact.over * stored.under;
        const size = distance < 0n ? -distance : distance;
        expect(2n * size * 10n ** 12n <= exact.under * stored.under).toBe(true);
      }
    }),
    { numRuns: numRuns({ default: 100, deep: 500 }) },
  );
});

test('a home currency that the feed does not have gets no rates, and no metal gets one', () => {
  const daily = {
    base: 'EUR',
    day: '2026-11-20',
    rates: [
      { currency: 'USD', rate: '1.1' },
      { currency: 'XAU', rate: '0.0003' },
    ],
  };
  expect(ratesAtHome(daily, 'UYU')).toEqual([]);
  expect(ratesAtHome(daily, 'USD')).toEqual([
    { base: 'EUR', quote: 'USD', rate: '1.100000000000', effective_at: '2026-11-20T16:00:00Z' },
  ]);
});
