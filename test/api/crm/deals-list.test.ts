import { beforeAll, describe, expect, test } from '@jest/globals';
import { type Body, useApp } from '../../support/app.ts';
import { person } from '../../support/factories/person.ts';
import { type PipelineMade, pipeline } from '../../support/factories/pipeline.ts';
import { exchangeRate } from '../../support/stored/crm.ts';

const app = useApp({});
let sales: PipelineMade;
let owner: string;
let made: Body[];

const create = async (body: object): Promise<Body> => (await app.call('crm.deals.create', { body })).body;
const ask = (query: Record<string, string | number | boolean>) => app.call('crm.deals.list', { query });
const titles = async (query: Parameters<typeof ask>[0]): Promise<string[]> => {
  const { status, body } = await ask(query);
  expect([status, body]).toMatchObject([200, { items: expect.any(Array) }]);
  return body.items.map(({ title }: Body) => title);
};
const filtered = (...filters: object[]) => titles({ filters: JSON.stringify(filters), sort: 'created_at' });

beforeAll(async () => {
  sales = await pipeline(app.em(), app.tenant.organizationId);
  owner = (await person(app.em(), app.tenant.organizationId)).userId;
  const { second } = sales.stages;
  made = [
    await create({ title: 'Alpha renewal', amount_minor: '100', expected_close_at: '2026-12-01', owner_user_id: owner }),
    await create({ title: 'Beta', amount_minor: '9223372036854775807', currency_code: 'JPY', stage_id: second }),
    await create({
      title: 'Gamma renewal',
      amount_minor: '2000',
      expected_close_at: '2026-11-01',
      custom_fields: { tier: 'gold' },
    }),
    await create({ title: 'Delta', stage_id: second, status: 'open' }),
    await create({ title: 'Binned renewal', custom_fields: { tier: 'gold' }, owner_user_id: owner }),
  ];
  await app.call('crm.deals.delete', { params: { dealID: made[4]!.id } });
});

test('newest first, as each is read alone, and the bin is left out', async () => {
  const { body } = await ask({ include_total: true });
  expect(body.items).toEqual(made.slice(0, 4).reverse());
  expect(body.meta).toMatchObject({ has_more: false, total: 4 });
});

test('a board: the deals of a stage in their places, by pages', async () => {
  const { first, second } = sales.stages;
  expect(await titles({ stage_id: second, sort: 'position' })).toEqual(['Beta', 'Delta']);
  expect(await titles({ stage_id: second, sort: '-position' })).toEqual(['Delta', 'Beta']);
  const page = (await ask({ stage_id: first, sort: 'position', limit: 1 })).body;
  expect(page.items[0].title).toBe('Alpha renewal');
  expect(await titles({ stage_id: first, sort: 'position', limit: 1, cursor: page.meta.next_cursor })).toEqual(['Gamma renewal']);
  const renewed = JSON.stringify([{ field: 'title', operator: 'contains', value: 'gamma' }]);
  expect(await titles({ stage_id: first, sort: 'position', filters: renewed })).toEqual(['Gamma renewal']);
});

test('the order of a stage without the stage is a 422', async () => {
  const refused = await ask({ sort: 'position' });
  expect([refused.status, refused.body.error.details[0]]).toMatchObject([422, { field: 'sort', location: 'query' }]);
});

test('by the expected close, those without one last, forwards and backwards, by pages', async () => {
  expect((await titles({ sort: 'expected_close_at' })).slice(0, 2)).toEqual(['Gamma renewal', 'Alpha renewal']);
  const seen: string[] = [];
  for (let cursor: string | undefined, isMore = true; isMore; ) {
    const { body } = await ask({ sort: 'expected_close_at', limit: 1, ...(cursor && { cursor }) });
    seen.push(body.items[0].title);
    cursor = body.meta.next_cursor;
    isMore = body.meta.has_more;
  }
  expect(seen).toEqual(await titles({ sort: 'expected_close_at' }));
  expect(new Set(seen).size).toBe(4);
});

describe('filters', () => {
  test.each<[string, object[], string[]]>([
    ['a status', [{ field: 'status', value: 'open' }], ['Alpha renewal', 'Beta', 'Gamma renewal', 'Delta']],
    [
      'a range of amounts',
      [{ field: 'amount_minor', operator: 'between', value: ['100', 2000] }],
      ['Alpha renewal', 'Gamma renewal'],
    ],
    ['an amount to its last digit', [{ field: 'amount_minor', value: '9223372036854775807' }], ['Beta']],
    ['another amount', [{ field: 'amount_minor', operator: 'gt', value: '9223372036854775806' }], ['Beta']],
    ['a currency', [{ field: 'currency_code', value: 'JPY' }], ['Beta']],
    ['a custom field', [{ field: 'custom_fields.tier', value: 'gold' }], ['Gamma renewal']],
    ['no date', [{ field: 'expected_close_at', operator: 'is_empty' }], ['Beta', 'Delta']],
    ['a later date', [{ field: 'expected_close_at', operator: 'gt', value: '2026-11-15' }], ['Alpha renewal']],
    ['an earlier date', [{ field: 'expected_close_at', operator: 'lte', value: '2026-11-01' }], ['Gamma renewal']],
    ['another date', [{ field: 'expected_close_at', operator: 'neq', value: '2026-11-01' }], ['Alpha renewal', 'Beta', 'Delta']],
    [
      'not closed',
      [
        { field: 'closed_at', operator: 'is_empty' },
        { field: 'title', value: 'Delta' },
      ],
      ['Delta'],
    ],
  ])('%s', async (_what, filters, expected) => {
    expect(await filtered(...filters)).toEqual(expected);
  });

  test('an owner, a stage, nobody', async () => {
    expect(await filtered({ field: 'owner_user_id', value: owner })).toEqual(['Alpha renewal']);
    expect(await filtered({ field: 'owner_user_id', operator: 'is_empty' })).toEqual(['Beta', 'Gamma renewal', 'Delta']);
    expect(await filtered({ field: 'stage_id', operator: 'in', value: [sales.stages.second] })).toEqual(['Beta', 'Delta']);
  });

  test.each<[string, Record<string, string>, number]>([
    ['no array', { filters: '{}' }, 400],
    ['no array, beside a stage', { filters: '{}', stage_id: '0193ffff-3a0e-7cc4-8f4e-0242ac120004' }, 400],
    ['a field unknown', { filters: '[{"field":"search","value":"x"}]' }, 422],
    ['an amount that is a word', { filters: '[{"field":"amount_minor","value":"much"}]' }, 422],
    ['an amount of 65 digits', { filters: JSON.stringify([{ field: 'amount_minor', value: '1'.repeat(65) }]) }, 422],
    ['an amount that contains', { filters: '[{"field":"amount_minor","operator":"contains","value":"1"}]' }, 422],
    ['21 filters', { filters: JSON.stringify(Array(21).fill({ field: 'status', value: 'open' })) }, 422],
    ['a sort by the amount', { sort: 'amount_minor' }, 422],
    ['a stage that is no id', { stage_id: 'x' }, 422],
  ])('%s is refused', async (_what, query, status) => {
    expect((await ask(query)).status).toBe(status);
  });

  test('a cursor of another order is a 400', async () => {
    const { body } = await ask({ limit: 1 });
    expect((await ask({ limit: 1, sort: 'updated_at', cursor: body.meta.next_cursor })).status).toBe(400);
  });
});

test('a search finds words of the title', async () => {
  expect(await titles({ search: 'RENEWAL', sort: 'created_at' })).toEqual(['Alpha renewal', 'Gamma renewal']);
  expect(await titles({ search: 'renewal gam' })).toEqual(['Gamma renewal']);
  expect(await titles({ search: '%' })).toEqual([]);
});

test('in the reader’s currency: by the rate of each, without one in its own', async () => {
  await exchangeRate(app, app.tenant.organizationId, { base: 'USD', quote: 'EUR', rate: 0.5 });
  const { body } = await ask({ display_currency: 'EUR', sort: 'created_at' });
  const shown = body.items.map((item: Body) => [item.display_currency, item.display_currency_unit, item.display_currency_minor]);
  expect(shown).toEqual([
    ['EUR', 2, '50'],
    ['JPY', 0, '9223372036854775807'],
    ['EUR', 2, '1000'],
    ['EUR', 2, '0'],
  ]);
});
