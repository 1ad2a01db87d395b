import { beforeEach, expect, test } from '@jest/globals';
import { uuidv7 } from '../../../src/platform/ids.ts';
import { type Body, type Tenant, useApp } from '../../support/app.ts';
import { bareOrder } from '../../support/factories/shop.ts';
import { storedOrderItems, storedProducts } from '../../support/stored/commerce.ts';

const app = useApp();
let tenant: Tenant;

beforeEach(async () => {
  tenant = await app.organization();
});

const create = (body: object) => app.call('commerce.products.create', { key: tenant.key, body });
const soap = { name: 'Olive soap', slug: 'olive-soap', kind: 'physical' };
const category = async (slug: string): Promise<string> =>
  (await app.call('commerce.categories.create', { key: tenant.key, body: { active: true, name: slug, slug } })).body.id;
const patch = (productID: string, body: object) =>
  app.call('commerce.products.update', { key: tenant.key, params: { productID }, body });

test('made with what is left out, read, changed in the given fields', async () => {
  const [first, second] = [await category('first'), await category('second')];
  const { status, body } = await create({ ...soap, category_ids: [first] });
  expect(status).toBe(201);
  expect(body).toMatchObject({ ...soap, description: '', active: true, images: [], metadata: {}, category_ids: [first] });
  const params = { productID: body.id };
  expect((await app.call('commerce.products.get', { key: tenant.key, params })).body).toEqual(body);
  const changed = await patch(body.id, { name: 'New', category_ids: [second], metadata: { a: 1 } });
  expect(changed.body).toEqual({
    ...body,
    name: 'New',
    category_ids: [second],
    metadata: { a: 1 },
    updated_at: changed.body.updated_at,
  });
});

test('listed by word, category and state', async () => {
  const shelf = await category('shelf');
  const { body: first } = await create({ ...soap, category_ids: [shelf] });
  const { body: second } = await create({ ...soap, name: 'Café au lait', slug: 'coffee', active: false });
  const list = async (query: Record<string, string>) =>
    (await app.call('commerce.products.list', { key: tenant.key, query })).body.items.map(({ id }: Body) => id);
  const by = (field: string, value: unknown) => ({ filters: JSON.stringify([{ field, value }]) });
  expect(await list({})).toEqual([second.id, first.id]);
  expect(await list({ search: 'cafe' })).toEqual([second.id]);
  expect(await list(by('category_id', shelf))).toEqual([first.id]);
  expect(await list(by('active', false))).toEqual([second.id]);
  expect(await list(by('slug', 'olive-soap'))).toEqual([first.id]);
});

test.each([
  ['an unknown category', { category_ids: [uuidv7()] }, 'category_ids[0]'],
  ['an unknown image', { images: [uuidv7()] }, 'images[0]'],
  ['a kind that is none', { kind: 'gas' }, 'kind'],
  ['a name of blanks', { name: ' ' }, 'name'],
  ['a slug with a blank', { slug: 'A b' }, 'slug'],
  [
    'a category twice',
    { category_ids: ['01932d5f-3a0e-7cc4-8f4e-0242ac120001', '01932d5f-3a0e-7cc4-8f4e-0242ac120001'] },
    'category_ids[1]',
  ],
])('%s: 422 at its field, and nothing is stored', async (_, more, field) => {
  const { status, body } = await create({ ...soap, ...more });
  expect([status, body.error.details.map((one: Body) => one.field)]).toEqual([422, [field]]);
  expect(await storedProducts.count(app, { organization_id: tenant.organizationId })).toBe(0);
});

test('a slug that is taken is a 409, by a change too', async () => {
  await create(soap);
  const { body } = await create({ ...soap, slug: 'other' });
  for (const reply of [await create(soap), await patch(body.id, { slug: soap.slug })])
    expect(reply).toMatchObject({ status: 409, body: { error: { details: [{ field: 'slug' }] } } });
});

test('an order keeps its items when its product is deleted', async () => {
  const { body } = await create(soap);
  const params = { productID: body.id };
  const variant = await app.call('commerce.variants.create', {
    key: tenant.key,
    params,
    body: { sku: 'S', prices: { USD: 100 }, tracks_stock: true, on_hand: 3 },
  });
  const order = await bareOrder(app, tenant.organizationId, [{ variantId: variant.body.id, quantity: 2 }]);
  expect((await app.call('commerce.products.delete', { key: tenant.key, params })).status).toBe(204);
  expect(await storedOrderItems.one(app, { order_id: order.id }, ['sku', 'name', 'quantity', 'variant_id'])).toEqual({
    sku: 'SOAP',
    name: 'Soap',
    quantity: 2,
    variant_id: null,
  });
  expect((await app.call('commerce.products.delete', { key: tenant.key, params })).status).toBe(404);
  expect((await app.call('commerce.variants.get', { key: tenant.key, params: { variantID: variant.body.id } })).status).toBe(404);
});
