import { expect, test } from '@jest/globals';
import {
  add,
  allocate,
  type Dinero,
  dinero,
  down,
  halfUp,
  lessThan,
  multiply,
  subtract,
  toSnapshot,
  transformScale,
} from 'dinero.js/bigint';
import { type Reduction, totalsOf } from '../../../src/commerce/totals.ts';
import { stepOf } from '../../../src/money/currencies.ts';
import { fc, numRuns } from '../../support/fast-check.ts';

/** The oracle counts in what can be paid: whole rupiah, cents, yen, thousandths of a dinar. */
type Currency = { code: string; base: bigint; exponent: bigint };
const payable: Record<string, Currency> = Object.fromEntries(
  Object.entries({ JPY: 0n, USD: 2n, IDR: 0n, KWD: 3n }).map(([code, exponent]) => [code, { code, base: 10n, exponent }]),
);
type Amount = Dinero<bigint>;
const amountOf = (money: Amount) => toSnapshot(money).amount;
const scaled = (amount: bigint, scale: bigint) => ({ amount, scale });

/** Shares to 40 digits, which is more than two different remainders of such amounts can have in common. */
const fine = 40n;
function spreadByOracle(discount: Amount, lines: Amount[], none: Amount): Amount[] {
  if (amountOf(discount) === 0n) return lines.map(() => none);
  const { scale } = toSnapshot(discount);
  const exact = allocate(transformScale(discount, scale + fine), lines.map(amountOf));
  const whole = exact.map((share) => transformScale(share, scale, down));
  const rests = exact.map((share, index) => amountOf(subtract(share, whole[index]!)));
  const left = whole.reduce((rest, share) => subtract(rest, share), discount);
  const order = rests
    .map((rest, index) => ({ rest, index }))
    .sort((one, other) => {
      const distance = one.rest - other.rest;
      // The digits beyond 40 were given to some of them: a difference of them is none.
      return distance > 1000n ? -1 : distance < -1000n ? 1 : one.index - other.index;
    });
  const unit = dinero({ amount: 1n, currency: toSnapshot(discount).currency, scale });
  const raised = new Set(order.slice(0, Number(amountOf(left))).map(({ index }) => index));
  return whole.map((share, index) => (raised.has(index) ? add(share, unit) : share));
}

type Order = { currency: string; lines: { unit: bigint; quantity: number }[]; reduction?: Reduction; fee: bigint };

/** In the oracle's units: `unit`, `fee` and a fixed reduction are given in steps. */
function oracle({ currency: code, lines, reduction, fee }: Order) {
  const currency = payable[code]!;
  const money = (amount: bigint) => dinero({ amount, currency });
  const none = money(0n);
  const amounts = lines.map(({ unit, quantity }) => multiply(money(unit), BigInt(quantity)));
  const subtotal = amounts.reduce((sum, amount) => add(sum, amount), none);
  const asked =
    reduction?.kind === 'percent'
      ? transformScale(multiply(subtotal, scaled(reduction.value, 4n)), currency.exponent, halfUp)
      : money(reduction?.kind === 'fixed' ? reduction.value : 0n);
  const discount = lessThan(subtotal, asked) ? subtotal : asked;
  const delivery = reduction?.kind === 'free_delivery' ? none : money(fee);
  const discounts = spreadByOracle(discount, amounts, none);
  return {
    subtotal: amountOf(subtotal),
    discount: amountOf(discount),
    fee: amountOf(delivery),
    total: amountOf(add(subtract(subtotal, discount), delivery)),
    lines: amounts.map((amount, index) => ({
      discount: amountOf(discounts[index]!),
      total: amountOf(subtract(amount, discounts[index]!)),
    })),
  };
}

const inSteps = (max: bigint) => fc.oneof(fc.bigInt({ min: 0n, max }), fc.bigInt({ min: 0n, max: 20n }));
const order: fc.Arbitrary<Order> = fc.record(
  {
    currency: fc.constantFrom('JPY', 'USD', 'IDR', 'KWD'),
    lines: fc.array(
      fc.record({
        unit: inSteps(10_000_000n),
        quantity: fc.oneof(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 10_000 })),
      }),
      { minLength: 1, maxLength: 12 },
    ),
    reduction: fc.oneof(
      fc.record({ kind: fc.constant('percent' as const), value: fc.bigInt({ min: 0n, max: 10_000n }) }),
      fc.record({ kind: fc.constant('fixed' as const), value: inSteps(1_000_000n) }),
      fc.record({ kind: fc.constant('free_delivery' as const), value: fc.constant(0n) }),
    ),
    fee: inSteps(1_000_000n),
  },
  { requiredKeys: ['currency', 'lines', 'fee'] },
);

const inMinor = ({ currency, lines, reduction, fee }: Order): Order => {
  const step = stepOf(currency);
  return {
    currency,
    lines: lines.map(({ unit, quantity }) => ({ unit: unit * step, quantity })),
    ...(reduction && { reduction: reduction.kind === 'fixed' ? { ...reduction, value: reduction.value * step } : reduction }),
    fee: fee * step,
  };
};

test('any order has the amounts of dinero.js to the unit, each a multiple of its step, and they add up', () => {
  fc.assert(
    fc.property(order, (given) => {
      const step = stepOf(given.currency);
      const { lines, ...totals } = totalsOf(inMinor(given));
      const expected = oracle(given);
      expect(totals).toEqual({
        subtotal: expected.subtotal * step,
        discount: expected.discount * step,
        fee: expected.fee * step,
        total: expected.total * step,
      });
      expect(lines).toEqual(expected.lines.map(({ discount, total }) => ({ discount: discount * step, total: total * step })));
      const sum = (pick: (line: (typeof lines)[number]) => bigint) => lines.reduce((all, line) => all + pick(line), 0n);
      expect(sum(({ total }) => total) + totals.fee).toBe(totals.total);
      expect(sum(({ discount }) => discount)).toBe(totals.discount);
      for (const amount of [...Object.values(totals), ...lines.flatMap(({ discount, total }) => [discount, total])]) {
        expect(amount >= 0n).toBe(true);
        expect(amount % step).toBe(0n);
      }
    }),
    { numRuns: numRuns({ default: 200, deep: 10_000 }) },
  );
}, 120_000);

const most = 2n ** 53n - 1n;
test('an amount near 2^53 is kept to the unit or refused, never rounded', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -50n, max: 50n }), fc.bigInt({ min: 0n, max: 50n }), (distance, fee) => {
      const unit = most + distance;
      const asked = () => totalsOf({ currency: 'USD', lines: [{ unit, quantity: 1 }], fee });
      if (unit > most || unit + fee > most)
        expect(asked).toThrow(expect.objectContaining({ code: 'limit_reached', status: 422 }));
      else expect(asked().total).toBe(unit + fee);
    }),
  );
});

test('a discount does not hide a subtotal that is too large', () => {
  const lines = [{ unit: 10n ** 12n, quantity: 10_000 }];
  expect(() => totalsOf({ currency: 'USD', lines, reduction: { kind: 'percent', value: 9_999n }, fee: 0n })).toThrow(
    expect.objectContaining({
      code: 'limit_reached',
      details: [expect.objectContaining({ field: 'items', value: String(10n ** 16n) })],
    }),
  );
});

test('equal remainders go to the first lines', () => {
  const thirds = totalsOf({
    currency: 'IDR',
    lines: [1, 2, 3].map(() => ({ unit: 1_000_000n, quantity: 1 })),
    reduction: { kind: 'fixed', value: 10_000n },
    fee: 0n,
  });
  expect(thirds.lines.map(({ discount }) => discount)).toEqual([3_400n, 3_300n, 3_300n]);
});

test('98.9009 of a bill are never owed: a half of the least payable step goes up, once', () => {
  const half = { kind: 'percent' as const, value: 1n };
  const discountOf = (unit: bigint, currency: string) =>
    totalsOf({ currency, lines: [{ unit, quantity: 1 }], reduction: half, fee: 0n }).discount;
  expect(discountOf(4_999n, 'JPY')).toBe(0n);
  expect(discountOf(5_000n, 'JPY')).toBe(1n);
  expect(discountOf(499_900n, 'IDR')).toBe(0n);
  expect(discountOf(500_000n, 'IDR')).toBe(100n);
});
