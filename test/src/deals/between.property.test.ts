import { expect, test } from '@jest/globals';
import { below, between, spread } from '../../../src/deals/between.ts';
import { fc } from '../../support/fast-check.ts';

const scale = 40;
/** As a whole number of 10^-40. */
function exact(text: string): bigint {
  const [whole = '0', part = ''] = text.replace('-', '').split('.');
  const size = BigInt(whole + part.padEnd(scale, '0'));
  return text.startsWith('-') ? -size : size;
}
const position = fc
  .tuple(fc.bigInt({ min: -(10n ** 12n), max: 10n ** 12n }), fc.bigInt({ min: 0n, max: 10n ** 12n }))
  .map(([whole, part]) => (part === 0n ? String(whole) : `${whole}.${part}`));

test('between two positions is one that is greater than the first and smaller than the second', () => {
  fc.assert(
    fc.property(position, position, (one, other) => {
      const found = between(one, other);
      if (exact(one) >= exact(other)) return expect(found).toBeUndefined();
      expect(exact(found!) > exact(one) && exact(found!) < exact(other)).toBe(true);
    }),
  );
});

test('below a position is a whole number that is smaller by one at most', () => {
  fc.assert(
    fc.property(position, (text) => {
      const found = below(text);
      expect(found).toMatch(/^-?\d+$/);
      const distance = exact(text) - exact(found);
      expect(distance > 0n && distance <= 10n ** BigInt(scale)).toBe(true);
    }),
  );
});

test('a thousand deals put at the same place one by one need a third of a digit each', () => {
  let high = '2';
  for (let n = 0; n < 1_000; n++) high = between('1', high)!;
  expect(high.length).toBeLessThan(340);
});

test('numbers spread between two are in order, between them, and no longer than they must be', () => {
  fc.assert(
    fc.property(position, position, fc.integer({ min: 1, max: 200 }), (one, other, count) => {
      const found = spread(one, other, count);
      if (exact(one) >= exact(other)) return expect(found).toBeUndefined();
      const all = [one, ...found!, other].map(exact);
      expect(all).toHaveLength(count + 2);
      expect(all.every((value, index) => index === 0 || value > all[index - 1]!)).toBe(true);
      if (exact(other) - exact(one) > BigInt(count + 1) * 10n ** BigInt(scale))
        for (const text of found!) expect(text).toMatch(/^-?\d+$/);
    }),
  );
});
