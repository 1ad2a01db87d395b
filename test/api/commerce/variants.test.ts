import { beforeEach, expect, test } from '@jest/globals';
import { uuidv7 } from '../../../src/platform/ids.ts';
import { type Body, type Tenant, useApp } from '../../support/app.ts';
import { listedActs } from '../../support/listed-acts.ts';
import { storedVariants } from '../../support/stored/commerce.ts';

const app = useApp();
let tenant: Tenant;
let productID: string;

beforeEach(async () => {
  tenant = await app.organization();
  const product = await app.call('commerce.products.create', {
    key: tenant.key,
    body: { name: 'Soap', slug: 'soap', kind: 'physical' },
  });
  productID = product.body.id;
});

const create = (body: object, of = productID) =>
  app.call('commerce.variants.create', { key: tenant.key, params: { productID: of }, body });
const patch = (variantID: string, body: object) =>
  app.call('commerce.variants.update', { key: tenant.key, params: { variantID }, body });
const plain = { sku: 'SOAP', prices: { IDR: 5_000_000, USD: 450, JPY: 7, KWD: 1_001 } };

test('made, listed, read and changed; prices are given together', async () => {
  const { status, body, headers } = await create(plain);
  expect([status, headers.get('location')]).toEqual([201, `/v1/commerce/variants/${body.id}`]);
  expect(body).toMatchObject({ ...plain, product_id: productID, tracks_stock: false, on_hand: 0, reserved: 0, available: 0 });
  const { body: second } = await create({ ...plain, sku: 'SOAP-2', tracks_stock: true, on_hand: 9 });
  expect(second).toMatchObject({ on_hand: 9, available: 9 });
  const list = await app.call('commerce.variants.list', { key: tenant.key, params: { productID }, query: { limit: 1 } });
  expect(list.body).toMatchObject({ items: [second], meta: { has_more: true } });
  const changed = await patch(body.id, { prices: { USD: 500 }, name: 'Large' });
  expect(changed.body).toEqual({ ...body, prices: { USD: 500 }, name: 'Large', updated_at: changed.body.updated_at });
  const read = await app.call('commerce.variants.get', { key: tenant.key, params: { variantID: body.id } });
  expect(read.body).toEqual(changed.body);
  const acts = await listedActs(app, { action: 'commerce.variants.create' }, { key: tenant.key, columns: ['subject'] });
  expect(acts.slice(-2).map(({ subject }) => subject)).toEqual([`variant:${body.id}`, `variant:${second.id}`]);
});

test.each([
  ['a price of 2^53', { prices: { USD: 2 ** 53 } }, 'prices.USD'],
  ['a price below nothing', { prices: { USD: -1 } }, 'prices.USD'],
  ['a price of half a cent', { prices: { USD: 0.5 } }, 'prices.USD'],
  ['150,000.50 rupiah', { prices: { IDR: 15_000_050 } }, 'prices.IDR'],
  ['a currency that is none', { prices: { XXX: 1 } }, 'prices.XXX'],
  ['no price', { prices: {} }, 'prices'],
  ['an unknown service', { service_id: uuidv7() }, 'service_id'],
  ['a sku of blanks', { sku: ' ' }, 'sku'],
  ['half a gram', { weight_grams: 1.5 }, 'weight_grams'],
])('%s: 422 at its field, and nothing is stored', async (_, more, field) => {
  const { status, body } = await create({ ...plain, ...more });
  expect([status, body.error.details.map((one: Body) => one.field)]).toEqual([422, [field]]);
  expect(await storedVariants.count(app, { organization_id: tenant.organizationId })).toBe(0);
});

test('a price of 2^53 - 1 is kept to the unit', async () => {
  const { body } = await create({ ...plain, prices: { USD: Number.MAX_SAFE_INTEGER } });
  expect(body.prices).toEqual({ USD: Number.MAX_SAFE_INTEGER });
});

test('a sku that is taken is a 409, by a change too; a missing product a 404', async () => {
  await create(plain);
  const { body } = await create({ ...plain, sku: 'other' });
  for (const reply of [await create(plain), await patch(body.id, { sku: 'SOAP' })])
    expect(reply).toMatchObject({ status: 409, body: { error: { details: [{ field: 'sku' }] } } });
  expect((await create(plain, uuidv7())).status).toBe(404);
});

test('two changes of the prices at once end as one of them', async () => {
  const { body } = await create(plain);
  const given = Array.from({ length: 20 }, (_, index) => (index % 2 ? { USD: index, EUR: index } : { USD: index, JPY: index }));
  const replies = await Promise.all(given.map((prices) => patch(body.id, { prices })));
  expect(replies.map(({ status }) => status)).toEqual(given.map(() => 200));
  const { body: end } = await app.call('commerce.variants.get', { key: tenant.key, params: { variantID: body.id } });
  expect(given).toContainEqual(end.prices);
});

test('deleted once', async () => {
  const { body } = await create(plain);
  const remove = () => app.call('commerce.variants.delete', { key: tenant.key, params: { variantID: body.id } });
  expect([(await remove()).status, (await remove()).status]).toEqual([204, 404]);
});
