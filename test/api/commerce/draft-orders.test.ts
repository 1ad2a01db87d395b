import { beforeAll, expect, test } from '@jest/globals';
import { type Body, type Tenant, useApp } from '../../support/app.ts';
import { contact } from '../../support/factories/contact.ts';
import { address, deliveryMethod, discount, type VariantMade, variant } from '../../support/factories/sold.ts';
import { listedActs } from '../../support/listed-acts.ts';
import { storedDiscounts, storedVariantPrices, storedVariants } from '../../support/stored/commerce.ts';

const app = useApp({ env: { RATE_LIMIT_PER_MINUTE: '0' } });
let tea: VariantMade;
let stranger: Tenant;

beforeAll(async () => {
  tea = await variant(app, { stock: 50 });
  stranger = await app.organization();
});

const create = (body: object = {}) => app.call('commerce.draft-orders.create', { body });
const about = (draft: Body) => ({ params: { draftOrderID: draft.id } });
const get = (draft: Body) => app.call('commerce.draft-orders.get', about(draft));
const patch = (draft: Body, body: object) => app.call('commerce.draft-orders.update', { ...about(draft), body });
const convert = (draft: Body) => app.call('commerce.draft-orders.convert', about(draft));

test('totals and faults are those of the moment of the read', async () => {
  const { status, headers, body: draft } = await create();
  expect([status, headers.get('location')]).toEqual([201, `/v1/commerce/draft-orders/${draft.id}`]);
  expect([draft.items, draft.total_amount, draft.faults.map(({ field }: Body) => field)]).toEqual([[], 0, ['items']]);
  const { code } = await discount(app, { value: 500 });
  const method = await deliveryMethod(app, { fee: 700 });
  const filled = (
    await patch(draft, {
      items: [{ variant_id: tea.id, quantity: 2 }],
      discount_code: code,
      delivery_method_id: method.id,
      shipping_address: address,
    })
  ).body;
  expect(filled).toMatchObject({
    subtotal_amount: 10_000,
    discount_amount: 500,
    delivery_fee_amount: 700,
    total_amount: 10_200,
    faults: [],
    revision: 2,
  });
  expect(filled.items[0]).toMatchObject({
    name: 'Green tea, 100 g',
    unit_amount: 5000,
    discount_amount: 500,
    total_amount: 9500,
  });
  await storedVariantPrices.change(app, { variant_id: tea.id }, { amount: 6000 });
  expect((await get(draft)).body).toMatchObject({ subtotal_amount: 12_000, discount_amount: 600, total_amount: 12_100 });
  await storedVariants.change(app, tea.id, { active: false });
  const unsold = (await get(draft)).body;
  expect([unsold.faults[0].field, unsold.items[0].unit_amount]).toEqual(['items[0].variant_id', null]);
  expect((await convert(draft)).status).toBe(422);
  await storedVariants.change(app, tea.id, { active: true });
  await storedVariantPrices.change(app, { variant_id: tea.id }, { amount: 5000 });
  expect((await patch(draft, { discount_code: null })).body.discount_amount).toBe(0);
  const stale = await patch(draft, { notes: 'x', revision: 1 });
  expect([stale.status, stale.body.error.code]).toEqual([409, 'conflict']);
});

test('a code that the contact has used as often as they may is a fault, and takes nothing off', async () => {
  const { id, code } = await discount(app, { value: 500 });
  await storedDiscounts.change(app, id, { max_uses_per_contact: 1 });
  const people = [1, 2].map(() => contact(app.em(), app.tenant.organizationId, { phone: `+${app.phone()}` }));
  const [first, second] = (await Promise.all(people)).map((person) => person.id);
  const items = [{ variant_id: tea.id, quantity: 1 }];
  const { body: sold } = await create({ items, discount_code: code, contact_id: first });
  expect([sold.discount_amount, sold.faults, (await convert(sold)).status]).toEqual([250, [], 201]);
  const { body: again } = await create({ items, discount_code: code, contact_id: first });
  expect([again.discount_amount, again.total_amount]).toEqual([0, 5000]);
  expect(again.faults).toMatchObject([{ field: 'discount_code', code: 'discount_invalid' }]);
  const { body: refused } = await convert(again);
  expect([refused.error.code, refused.error.message]).toEqual(['discount_invalid', again.faults[0].message]);
  expect((await create({ items, discount_code: code, contact_id: second })).body.faults).toEqual([]);
});

test('a conversion makes an order once; then the draft stays as it is', async () => {
  const { body: draft } = await create({ items: [{ variant_id: tea.id, quantity: 1 }], customer_name: 'Ada', notes: 'Soon' });
  const first = await convert(draft);
  expect([first.status, first.headers.get('location')]).toEqual([201, `/v1/commerce/orders/${first.body.id}`]);
  expect(first.body).toMatchObject({ draft_order_id: draft.id, customer_name: 'Ada', notes: 'Soon', total_amount: 5000 });
  const again = await convert(draft);
  expect([again.status, again.body.id]).toEqual([200, first.body.id]);
  expect((await get(draft)).body.order_id).toBe(first.body.id);
  expect((await patch(draft, { notes: 'Later' })).status).toBe(409);
  expect((await app.call('commerce.draft-orders.delete', about(draft))).status).toBe(204);
  expect((await convert(draft)).status).toBe(404);
  expect((await app.call('commerce.orders.get', { params: { orderID: first.body.id } })).status).toBe(200);
  const acts = { action: 'commerce.draft-orders.convert', subject: `order:${first.body.id}` };
  expect(await listedActs(app, acts)).toHaveLength(2);
});

test('an incomplete draft is refused by its conversion at each field', async () => {
  const { body: draft } = await create({ items: [], delivery_method_id: '0193ffff-3a0e-7cc4-8f4e-0242ac120004' });
  const { status, body } = await convert(draft);
  expect([status, body.error.details.map(({ field }: Body) => field)]).toEqual([422, ['items', 'delivery_method_id']]);
});

test('a contact must exist; the list is of one contact; a merge moves drafts and orders', async () => {
  const [one, other] = [
    await contact(app.em(), app.tenant.organizationId, { phone: '+16505550801' }),
    await contact(app.em(), app.tenant.organizationId, { phone: '+16505550802' }),
  ];
  const unknown = await create({ contact_id: '0193ffff-3a0e-7cc4-8f4e-0242ac120004' });
  expect([unknown.status, unknown.body.error.details[0].field]).toEqual([422, 'contact_id']);
  const { body: draft } = await create({ contact_id: other.id, items: [{ variant_id: tea.id, quantity: 1 }] });
  const { body: order } = await convert(draft);
  expect(order.contact_id).toBe(other.id);
  const merged = await app.call('contacts.merge', { params: { contactID: one.id }, body: { contact_id: other.id } });
  expect(merged.status).toBe(200);
  const list = await app.call('commerce.draft-orders.list', { query: { contact_id: one.id } });
  expect(list.body.items.map(({ id }: Body) => id)).toEqual([draft.id]);
  expect((await app.call('commerce.orders.get', { params: { orderID: order.id } })).body.contact_id).toBe(one.id);
});

test('a stranger finds no draft', async () => {
  const { body: draft } = await create();
  const { key } = stranger;
  for (const operation of ['get', 'delete', 'convert'])
    expect((await app.call(`commerce.draft-orders.${operation}`, { ...about(draft), key })).status).toBe(404);
  expect((await app.call('commerce.draft-orders.update', { ...about(draft), key, body: { notes: 'x' } })).status).toBe(404);
  expect((await app.call('commerce.draft-orders.list', { key })).body.items).toEqual([]);
});

test('a list with a total waits for a place of the organization, and one without does not', async () => {
  let open: () => void = () => undefined;
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  const held = app.web.deps.reads.dear(app.tenant.organizationId, () => gate);
  const list = (query: Record<string, boolean>) => app.call('commerce.draft-orders.list', { query });
  let isCounted = false;
  const counted = list({ include_total: true }).finally(() => {
    isCounted = true;
  });
  for (let read = 0; read < 5; read += 1) expect((await list({})).status).toBe(200);
  expect(isCounted).toBe(false);
  open();
  await held;
  const { status, body } = await counted;
  expect(status).toBe(200);
  expect(body.meta.total).toBeGreaterThan(0);
});
