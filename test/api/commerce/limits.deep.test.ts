import { beforeEach, describe, expect, test } from '@jest/globals';
import { uuidv7 } from '../../../src/platform/ids.ts';
import { type Body, type Reply, type Tenant, useApp } from '../../support/app.ts';
import {
  storedCategories,
  storedDeliveryMethods,
  storedDiscounts,
  storedProducts,
  storedVariants,
} from '../../support/stored/commerce.ts';

const app = useApp();
let tenant: Tenant;
let productID: string;

beforeEach(async () => {
  tenant = await app.organization();
  productID = uuidv7();
  await storedProducts.add(app, {
    organization_id: tenant.organizationId,
    id: productID,
    name: 'Soap',
    slug: 'soap',
    kind: 'physical',
  });
});

type Kind = {
  what: string;
  limit: number;
  /** As many rows of the organization. */
  fill: (count: number) => Promise<unknown>;
  create: (n: number) => Promise<Reply>;
  count: () => Promise<number>;
};

const own = () => ({ organization_id: tenant.organizationId });

const kinds: Kind[] = [
  {
    what: 'categories',
    limit: 10_000,
    fill: (count) => storedCategories.addMany(app, count, (n) => ({ ...own(), name: 'C', slug: `c-${n}`, active: true })),
    create: (n) =>
      n % 2
        ? app.call('commerce.categories.create', { key: tenant.key, body: { active: true, name: 'New', slug: `new-${n}` } })
        : app.call('commerce.categories.put', {
            key: tenant.key,
            params: { categoryID: uuidv7() },
            body: { active: true, name: 'New', slug: `new-${n}` },
          }),
    count: () => storedCategories.count(app, own()),
  },
  {
    what: 'products',
    limit: 10_000,
    // One is there.
    fill: (count) => storedProducts.addMany(app, count - 1, (n) => ({ ...own(), name: 'P', slug: `p-${n}`, kind: 'physical' })),
    create: (n) =>
      app.call('commerce.products.create', { key: tenant.key, body: { name: 'New', slug: `new-${n}`, kind: 'physical' } }),
    count: () => storedProducts.count(app, own()),
  },
  {
    what: 'variants of a product',
    limit: 200,
    fill: (count) => storedVariants.addMany(app, count, (n) => ({ ...own(), product_id: productID, sku: `s-${n}`, name: '' })),
    create: (n) =>
      app.call('commerce.variants.create', {
        key: tenant.key,
        params: { productID },
        body: { sku: `new-${n}`, prices: { USD: 1 } },
      }),
    count: () => storedVariants.count(app, own()),
  },
  {
    what: 'discounts',
    limit: 10_000,
    fill: (count) => storedDiscounts.addMany(app, count, (n) => ({ ...own(), code: `D${n}`, kind: 'percent', value: 100 })),
    create: (n) =>
      app.call('commerce.discounts.create', { key: tenant.key, body: { code: `NEW${n}`, kind: 'percent', value: 100 } }),
    count: () => storedDiscounts.count(app, own()),
  },
  {
    what: 'delivery methods',
    limit: 100,
    fill: (count) => storedDeliveryMethods.addMany(app, count, () => ({ ...own(), name: 'M', kind: 'pickup' })),
    create: () => app.call('commerce.delivery-methods.create', { key: tenant.key, body: { name: 'New', kind: 'pickup' } }),
    count: () => storedDeliveryMethods.count(app, own()),
  },
];

describe('how many an organization has', () => {
  test.each(kinds)('$what: $limit, whoever asks at once', async ({ limit, fill, create, count }) => {
    await fill(limit - 1);
    const replies = await Promise.all([1, 2, 3, 4].map(create));
    expect(replies.filter(({ status }) => status < 300)).toHaveLength(1);
    const refused = replies.filter(({ status }) => status >= 300);
    expect(refused.map(({ status, body }) => [status, body.error.code])).toEqual(refused.map(() => [422, 'limit_reached']));
    expect(await count()).toBe(limit);
  });

  test('a category that is there is still replaced at the limit', async () => {
    const id = uuidv7();
    await kinds[0]!.fill(9_999);
    const body = { active: true, name: 'Last', slug: 'last' };
    const put = (name: string) =>
      app.call('commerce.categories.put', { key: tenant.key, params: { categoryID: id }, body: { ...body, name } });
    expect((await put('Last')).status).toBe(200);
    expect((await put('Changed')).body.name).toBe('Changed');
  });
});

describe('how long a list is', () => {
  const many = <Value>(count: number, one: (n: number) => Value) => Array.from({ length: count }, (_, n) => one(n));
  const item = () => ({ variant_id: uuidv7(), quantity: 1 });
  const slot = (n: number) => ({ label: `L${n}`, weekdays: [1] });
  const product = { name: 'New', slug: 'new', kind: 'physical' };
  const method = { name: 'New', kind: 'pickup' };
  const codes = 'AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF CNY';
  const more = 'COP CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF ILS INR';
  const prices = (count: number) =>
    Object.fromEntries(
      `${codes} ${more}`
        .split(' ')
        .slice(0, count)
        .map((code) => [code, 1]),
    );

  test.each<[string, number, string, (count: number) => Body]>([
    ['commerce.draft-orders.create', 100, 'items', (count) => ({ items: many(count, item) })],
    ['commerce.products.create', 20, 'images', (count) => ({ ...product, images: many(count, uuidv7) })],
    ['commerce.products.create', 20, 'category_ids', (count) => ({ ...product, category_ids: many(count, uuidv7) })],
    ['commerce.delivery-methods.create', 50, 'timeslots', (count) => ({ ...method, timeslots: many(count, slot) })],
    ['commerce.variants.create', 50, 'prices', (count) => ({ sku: 'new', prices: prices(count) })],
    ['commerce.draft-orders.create', 20, 'checkout_uploads', (count) => ({ checkout_uploads: many(count, uuidv7) })],
  ])('%s: at most %i %s', async (operationId, max, field, bodyOf) => {
    const ask = (count: number) => app.call(operationId, { key: tenant.key, params: { productID }, body: bodyOf(count) });
    const fieldsOf = ({ body }: Reply) => (body.error?.details ?? []).map((one: Body) => one.field);
    const over = await ask(max + 1);
    expect([over.status, fieldsOf(over)]).toEqual([422, [field]]);
    // As many as may be are read; what is not there is refused by itself.
    expect(fieldsOf(await ask(max))).not.toContain(field);
  });
});
