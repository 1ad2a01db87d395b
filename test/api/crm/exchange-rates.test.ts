import { beforeEach, describe, expect, test } from '@jest/globals';
import { actsOf } from '../../support/acts.ts';
import { type Tenant, useApp } from '../../support/app.ts';

const app = useApp();
let own: Tenant;
beforeEach(async () => {
  own = await app.organization();
});

const put = (rates: unknown, key = own.key) => app.call('crm.exchange-rates.put', { key, body: { rates } });
const list = async (query: Record<string, string | number | boolean> = {}, key = own.key) =>
  (await app.call('crm.exchange-rates.list', { key, query })).body;
const euro = { base: 'EUR', quote: 'USD', rate: '1.0842', effective_at: '2026-01-02' };

test('rates are added, read back as they were sent, and audited', async () => {
  const reply = await put([
    euro,
    { base: 'USD', quote: 'JPY', rate: '0157.5'.slice(1), effective_at: '2026-01-01T12:00:00+02:00' },
  ]);
  expect(reply.status).toBe(200);
  expect(reply.body.items).toEqual([
    { ...euro, effective_at: '2026-01-02T00:00:00.000Z', source: 'api', created_at: expect.any(String) },
    expect.objectContaining({ base: 'USD', quote: 'JPY', rate: '157.5', effective_at: '2026-01-01T10:00:00.000Z' }),
  ]);
  expect((await list()).items).toEqual(reply.body.items);
  expect(await actsOf(app, reply)).toEqual([
    expect.objectContaining({
      action: 'crm.exchange-rates.put',
      subject: `exchange_rates:${own.organizationId}`,
      details: { added: 2 },
    }),
  ]);
});

test('no digit of a rate is lost', async () => {
  const rates = ['0.000000000001', '999999999999.999999999999', '1', '0.5'].map((rate, n) => ({
    ...euro,
    rate,
    effective_at: `2026-01-0${n + 1}`,
  }));
  expect((await put(rates)).body.items.map(({ rate }: { rate: string }) => rate)).toEqual(rates.map(({ rate }) => rate));
});

test('without a time a rate counts from now', async () => {
  const { effective_at: _time, ...rate } = euro;
  const [{ effective_at, created_at }] = (await put([rate])).body.items;
  expect(Math.abs(Date.parse(effective_at) - Date.parse(created_at))).toBeLessThan(60_000);
});

test('sent again it is no error; another rate of the same moment is a 409 that adds nothing', async () => {
  const first = await put([euro]);
  const again = await put([{ ...euro, rate: '1.084200' }]);
  expect(again.body).toEqual(first.body);
  expect((await actsOf(app, again))[0]).toMatchObject({ details: { added: 0 } });
  const refused = await put([
    { ...euro, effective_at: '2026-01-03' },
    { ...euro, rate: '1.1', effective_at: '2026-01-02T01:00:00+01:00' },
  ]);
  expect([refused.status, refused.body.error.code]).toEqual([409, 'conflict']);
  expect(refused.body.error.details).toEqual([
    expect.objectContaining({ field: 'rates[1].rate', code: 'rate.known', value: '1.0842' }),
  ]);
  expect((await list()).items).toEqual(first.body.items);
});

test('pages go from the newest to the oldest, each rate once; one pair has a list of its own', async () => {
  const rates = ['01', '02', '03'].flatMap((day) =>
    ['EUR', 'GBP', 'JPY'].map((base) => ({ base, quote: 'USD', rate: `1.${day}`, effective_at: `2026-01-${day}` })),
  );
  await put(rates);
  const seen: string[] = [];
  let cursor: string | undefined;
  do {
    const { items, meta } = await list({ limit: 2, include_total: true, ...(cursor && { cursor }) });
    expect(meta.total).toBe(9);
    for (const { base, effective_at } of items) seen.push(`${effective_at.slice(8, 10)} ${base}`);
    cursor = meta.next_cursor;
  } while (cursor);
  expect(seen).toEqual(['03', '02', '01'].flatMap((day) => ['JPY', 'GBP', 'EUR'].map((base) => `${day} ${base}`)));
  const pair = await list({ base: 'GBP', quote: 'USD', include_total: true });
  expect(pair.items.map(({ rate }: { rate: string }) => rate)).toEqual(['1.03', '1.02', '1.01']);
  expect(pair.meta.total).toBe(3);
  const foreign = await app.call('crm.exchange-rates.list', {
    key: own.key,
    query: { base: 'EUR', quote: 'USD', cursor: (await list({ limit: 1 })).meta.next_cursor },
  });
  expect(foreign.status).toBe(400);
});

test('another organization sees and changes none of them', async () => {
  await put([euro]);
  const other = await app.organization();
  expect((await list({}, other.key)).items).toEqual([]);
  expect((await put([{ ...euro, rate: '2' }], other.key)).status).toBe(200);
  expect((await list()).items).toEqual([expect.objectContaining({ rate: '1.0842' })]);
});

test('a key without the scope reads and writes nothing', async () => {
  const { key } = await app.key(own.organizationId, ['crm:read', 'crm:write']);
  expect((await put([euro], key)).status).toBe(403);
  expect((await app.call('crm.exchange-rates.list', { key })).status).toBe(403);
});

describe('what is refused, with nothing added', () => {
  test.each([
    ['no rates', [], 'rates'],
    ['no list', 'EUR', 'rates'],
    [
      'too many',
      Array.from({ length: 501 }, (_, n) => ({
        ...euro,
        rate: String(n + 1),
        effective_at: new Date(n * 1e9 + 9e11).toISOString(),
      })),
      'rates',
    ],
    ['the same one twice', [euro, euro], 'rates[1]'],
    ['one that is null', [euro, null], 'rates[1]'],
    ['a currency in lower case', [{ ...euro, base: 'eur' }], 'rates[0].base'],
    ['a code that is no currency', [{ ...euro, quote: 'XXX' }], 'rates[0].quote'],
    ['a coin', [{ ...euro, quote: 'BTC' }], 'rates[0].quote'],
    ['a metal', [{ ...euro, base: 'XAU' }], 'rates[0].base'],
    ['a currency in itself', [{ ...euro, quote: 'EUR' }], 'rates[0].quote'],
    ['a number', [{ ...euro, rate: 1.0842 }], 'rates[0].rate'],
    ['zero', [{ ...euro, rate: '0' }], 'rates[0].rate'],
    ['zero with decimals', [{ ...euro, rate: '0.000' }], 'rates[0].rate'],
    ['less than zero', [{ ...euro, rate: '-1' }], 'rates[0].rate'],
    ['an exponent', [{ ...euro, rate: '1e3' }], 'rates[0].rate'],
    ['a comma', [{ ...euro, rate: '1,08' }], 'rates[0].rate'],
    ['a zero in front', [{ ...euro, rate: '01' }], 'rates[0].rate'],
    ['a blank', [{ ...euro, rate: ' 1' }], 'rates[0].rate'],
    ['13 decimals', [{ ...euro, rate: '0.0000000000001' }], 'rates[0].rate'],
    ['13 digits', [{ ...euro, rate: '1000000000000' }], 'rates[0].rate'],
    ['a day that is none', [{ ...euro, effective_at: '2026-02-30' }], 'rates[0].effective_at'],
    ['the year 10000', [{ ...euro, effective_at: '10000-01-01' }], 'rates[0].effective_at'],
    ['a time without its zone', [{ ...euro, effective_at: '2026-01-02T00:00:00' }], 'rates[0].effective_at'],
    ['a field nobody knows', [{ ...euro, source: 'me' }], 'rates[0].source'],
  ])('%s', async (_what, rates, field) => {
    const reply = await put(rates);
    expect(reply.status).toBe(422);
    expect(reply.body.error.details).toEqual([expect.objectContaining({ field, location: 'body' })]);
    expect((await list()).items).toEqual([]);
  });

  test('a pair with one currency in a query', async () => {
    expect((await app.call('crm.exchange-rates.list', { query: { base: 'EUR' } })).status).toBe(422);
  });
});
