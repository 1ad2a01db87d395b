import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { converted, maxMinor } from '../../../src/money/amounts.ts';
import { type Ask, exchange } from '../../../src/money/exchange.ts';
import { createOrganization } from '../../../src/organizations/organizations.ts';
import { type Own, ownRows } from '../../../src/platform/database/own.ts';
import { fc, numRuns } from '../../support/fast-check.ts';
import { type House, openHouse } from '../../support/house.ts';
import { countRoundTrips } from '../../support/round-trips.ts';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

const currencies = ['USD', 'EUR', 'JPY', 'KWD', 'IDR'];
const days = [1, 2, 3, 4, 5];
const momentOf = (day: number) => `2026-01-0${day}T00:00:00Z`;
const currency = fc.constantFrom(...currencies);
const day = fc.constantFrom(...days);

type Rate = { base: string; quote: string; day: number; value: number };
const rates = fc
  .uniqueArray(fc.record({ base: currency, quote: currency, day, value: fc.integer({ min: 1, max: 10 ** 15 }) }), {
    selector: ({ base, quote, day }) => `${base}${quote}${day}`,
    maxLength: 12,
  })
  .map((all) => all.filter(({ base, quote }) => base !== quote));
const ask = fc.record({
  minor: fc.bigInt({ min: 0n, max: maxMinor }),
  currency,
  to: fc.oneof(currency, fc.constantFrom('home', 'display')),
  day: fc.option(day, { nil: undefined }),
});

const scale = 10n ** 12n;

/** The model: over a fraction that is looked for in the list of rates. */
function ratioIn(all: Rate[], from: string, to: string, until: number): { over: bigint; under: bigint } | undefined {
  if (from === to) return { over: 1n, under: 1n };
  const usable = all.filter(
    ({ base, quote, day }) => day <= until && ((base === from && quote === to) || (base === to && quote === from)),
  );
  const [newest] = usable.sort((a, b) => b.day - a.day || Number(b.base === from) - Number(a.base === from));
  if (!newest) return undefined;
  const value = BigInt(newest.value);
  return newest.base === from ? { over: value, under: scale } : { over: scale, under: value };
}

function crossedIn(all: Rate[], home: string, from: string, to: string, until: number) {
  const direct = ratioIn(all, from, to, until);
  if (direct) return direct;
  const [first, second] = [ratioIn(all, from, home, until), ratioIn(all, home, to, until)];
  return first && second && { over: first.over * second.over, under: first.under * second.under };
}

async function organization(home: string, display: string | null, all: Rate[]): Promise<Own> {
  const id = await createOrganization(house.em(), 'Rates');
  await house.sql('update organizations set home_currency = $2, display_currency = $3 where id = $1', [id, home, display]);
  for (const { base, quote, day, value } of all)
    await house.sql(
      `insert into exchange_rates (organization_id, base, quote, effective_at, rate, source)
       values ($1, $2, $3, $4, $5::numeric / 1e12, 'test')`,
      [id, base, quote, momentOf(day), value],
    );
  return ownRows(house.database, id);
}

test('amounts are those of the model, direct, inverse or crossed, at any moment; what has no rate has no amount', async () => {
  await fc.assert(
    fc.asyncProperty(
      rates,
      currency,
      fc.option(currency),
      fc.option(currency),
      fc.array(ask, { maxLength: 8 }),
      async (all, home, own, asked, asks) => {
        const display = asked ?? own ?? home;
        const found = await exchange(
          await organization(home, own, all),
          asks.map(
            ({ minor, currency, to, day }): Ask => ({ minor: String(minor), currency, to, at: day ? momentOf(day) : undefined }),
          ),
          asked,
        );
        expect(found.home).toBe(home);
        expect(found.display).toBe(display);
        const expected = asks.map(({ minor, currency, to, day = 9 }) => {
          const code = to === 'home' ? home : to === 'display' ? display : to;
          const ratio = crossedIn(all, home, currency, code, day);
          return ratio && converted({ minor, currency }, code, ratio);
        });
        expect(found.amounts).toEqual(expected);
      },
    ),
    { numRuns: numRuns({ default: 5, deep: 100 }) },
  );
});

test('a page of 500 amounts is one statement', async () => {
  const own = await organization('USD', 'EUR', [{ base: 'EUR', quote: 'USD', day: 1, value: 1_100_000_000_000 }]);
  const asks = Array.from({ length: 500 }, (_, index) => ({
    minor: String(index * 110),
    currency: 'USD',
    to: 'display',
    at: momentOf(1 + (index % 5)),
  }));
  const trips = countRoundTrips(house.database.pool);
  const none = await trips.during(() => exchange(own, []));
  let amounts: Awaited<ReturnType<typeof exchange>>['amounts'] = [];
  expect(await trips.during(async () => ({ amounts } = await exchange(own, asks)))).toBe(none);
  expect(none).toBe(1);
  expect(amounts[10]).toEqual({ minor: 1000n, currency: 'EUR' });
  expect(amounts.every((amount) => amount !== undefined)).toBe(true);
});

test('a rate that begins later does not count yet, and another organization has none', async () => {
  const rate = { base: 'EUR', quote: 'USD', day: 3, value: 2_000_000_000_000 };
  const own = await organization('USD', null, [rate]);
  const other = await organization('USD', null, []);
  const ask = { minor: '100', currency: 'EUR', to: 'home' };
  expect((await exchange(own, [{ ...ask, at: momentOf(2) }])).amounts).toEqual([undefined]);
  expect((await exchange(own, [{ ...ask, at: momentOf(3) }])).amounts).toEqual([{ minor: 200n, currency: 'USD' }]);
  expect((await exchange(other, [ask])).amounts).toEqual([undefined]);
});
