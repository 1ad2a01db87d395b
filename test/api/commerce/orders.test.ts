import { beforeAll, describe, expect, test } from '@jest/globals';
import { type Body, type Tenant, useApp } from '../../support/app.ts';
import { address, deliveryMethod, discount, type VariantMade, variant } from '../../support/factories/sold.ts';
import { storedEvents } from '../../support/stored/api-events.ts';
import { storedJobs } from '../../support/stored/api-jobs.ts';
import { stockOfVariant, storedProducts, storedSlotUsage } from '../../support/stored/commerce.ts';
import { storedMediaAssets } from '../../support/stored/messaging.ts';
import { now } from '../../support/stored/times.ts';

const app = useApp({ env: { RATE_LIMIT_PER_MINUTE: '0' } });
let tea: VariantMade;
let cup: VariantMade;
let stranger: Tenant;

beforeAll(async () => {
  tea = await variant(app, { stock: 1000 });
  cup = await variant(app, { prices: { USD: 333, JPY: 50 }, productName: 'Cup', name: '' });
  stranger = await app.organization();
});

const create = (more: object = {}, headers: Record<string, string> = {}) =>
  app.call('commerce.orders.create', { body: { items: [{ variant_id: tea.id, quantity: 1 }], ...more }, headers });
const made = async (more: object = {}): Promise<Body> => {
  const { status, body } = await create(more);
  expect([status, body.error]).toEqual([201, undefined]);
  return body;
};
const get = async (id: string) => (await app.call('commerce.orders.get', { params: { orderID: id } })).body;
const patch = (order: Body, body: object) => app.call('commerce.orders.update', { params: { orderID: order.id }, body });
const move = (order: Body, name: string, body: object = {}) =>
  app.call(`commerce.orders.${name}`, { params: { orderID: order.id }, body });
const stockOf = (id: string) => stockOfVariant(app, id);
const eventsOf = (id: string) => storedEvents.all(app, { subject_id: id }, { columns: ['type', 'data'], orderBy: 'seq' });
const fieldsOf = ({ body }: { body: Body }) => (body.error.details ?? []).map(({ field }: Body) => field);

describe('create', () => {
  test('names, prices and the fee are copied; the stock is reserved; the events are there', async () => {
    const method = await deliveryMethod(app, { fee: 500 });
    const before = await stockOf(tea.id);
    const order = await made({
      items: [
        { variant_id: tea.id, quantity: 2 },
        { variant_id: cup.id, quantity: 3 },
      ],
      customer_name: 'Ada Lovelace',
      customer_phone: '+1 650 555 0199',
      delivery_method_id: method.id,
      shipping_address: address,
      notes: 'Ring twice',
    });
    expect(order).toMatchObject({
      status: 'pending',
      payment_status: 'unpaid',
      fulfillment_status: 'unfulfilled',
      customer_phone: '+16505550199',
      subtotal_amount: 10_999,
      discount_amount: 0,
      delivery_fee_amount: 500,
      total_amount: 11_499,
      currency: 'USD',
      currency_digits: 2,
      delivery_method: 'Method flat',
      shipping_address: address,
      checkout_uploads: null,
      attention: [],
      revision: 1,
    });
    expect(order.order_no).toMatch(/^\d{6}$/);
    expect(order.items.map(({ name, total_amount }: Body) => [name, total_amount])).toEqual([
      ['Green tea, 100 g', 10_000],
      ['Cup', 999],
    ]);
    expect(Date.parse(order.reserved_until)).toBeGreaterThan(Date.now());
    expect(await stockOf(tea.id)).toEqual({ on_hand: before.on_hand, reserved: before.reserved + 2 });
    expect((await eventsOf(order.id)).map(({ type, data }) => [type, data.status, data.changed])).toEqual([
      ['commerce.order.created', 'pending', []],
      ['commerce.order.updated', 'pending', ['payment_status', 'status']],
    ]);
    expect(await get(order.id)).toEqual(order);
    const [job] = await storedJobs.all(app, { subject_id: order.id }, { columns: ['name', 'lane'] });
    expect(job).toEqual({ name: 'commerce.expire-order', lane: `subject:expiry:order:${order.id}` });
  });

  test('the contact is found by phone, then by email, else made once', async () => {
    const first = await made({ customer_phone: '+16505550123', customer_name: 'Bea', customer_email: 'bea@example.com' });
    const byPhone = await made({ customer_phone: '+16505550123', customer_name: 'Other' });
    const byEmail = await made({ customer_email: 'BEA@example.com' });
    expect([byPhone.contact_id, byEmail.contact_id]).toEqual([first.contact_id, first.contact_id]);
    const { body } = await app.call('contacts.get', { params: { contactID: first.contact_id } });
    expect(body.data).toMatchObject({ name: 'Bea', phone_number: '+16505550123', email: 'bea@example.com' });
    expect('contact_id' in (await made())).toBe(false);
    const named = await made({ contact_id: first.contact_id });
    expect(named).toMatchObject({ customer_name: 'Bea', customer_phone: '+16505550123', customer_email: 'bea@example.com' });
  });

  test('20 orders of one new customer at once make one contact', async () => {
    const all = await Promise.all(Array.from({ length: 20 }, () => made({ customer_phone: '+16505550177' })));
    expect(new Set(all.map(({ contact_id }) => contact_id)).size).toBe(1);
    expect(new Set(all.map(({ order_no }) => order_no)).size).toBe(20);
  });

  test('a discount is spread over the lines, and counts one use', async () => {
    const { code } = await discount(app, { value: 1000, maxUses: 1 });
    const order = await made({
      items: [
        { variant_id: tea.id, quantity: 1 },
        { variant_id: cup.id, quantity: 1 },
      ],
      discount_code: code.toLowerCase(),
    });
    expect(order).toMatchObject({ subtotal_amount: 5333, discount_amount: 533, total_amount: 4800 });
    const again = await create({ discount_code: code });
    expect([again.status, again.body.error.code, fieldsOf(again)]).toEqual([422, 'discount_invalid', ['discount_code']]);
  });

  test('an order that costs nothing is confirmed and paid at once', async () => {
    const free = await variant(app, { prices: { USD: 0 }, kind: 'digital' });
    const order = await made({ items: [{ variant_id: free.id, quantity: 1 }] });
    expect([order.status, order.payment_status, order.total_amount, order.reserved_until]).toEqual([
      'confirmed',
      'paid',
      0,
      null,
    ]);
  });

  test('prepaid deliveries are counted down to none', async () => {
    const box = await variant(app, { prepaid: 2 });
    const order = await made({ items: [{ variant_id: box.id, quantity: 1 }] });
    expect(order.shipping_metadata.subscription).toEqual({ prepaid_deliveries_remaining: 2, prepaid_deliveries_total: 2 });
    const count = () => app.call('commerce.orders.deliveries', { params: { orderID: order.id } });
    expect((await count()).body.shipping_metadata.subscription.prepaid_deliveries_remaining).toBe(1);
    expect((await count()).body.shipping_metadata.subscription.prepaid_deliveries_remaining).toBe(0);
    const none = await count();
    const { error } = none.body;
    expect([none.status, error.code, error.details]).toEqual([
      409,
      'conflict',
      [{ code: 'deliveries.used', message: error.message }],
    ]);
  });

  test('an Idempotency-Key gives the same order', async () => {
    const headers = { 'idempotency-key': 'order-1' };
    const first = await create({ notes: 'Once' }, headers);
    const again = await create({ notes: 'Once' }, headers);
    expect(again.body.id).toBe(first.body.id);
  });

  test('a source_reference is taken once', async () => {
    await made({ source_reference: 'web-1' });
    const again = await create({ source_reference: 'web-1' });
    expect([again.status, again.body.error.code, fieldsOf(again)]).toEqual([409, 'conflict', ['source_reference']]);
  });
});

describe('refused, and nothing is left', () => {
  const nobody = '0193ffff-3a0e-7cc4-8f4e-0242ac120004';
  const one = (quantity: unknown) => ({ items: [{ variant_id: tea.id, quantity }] });
  const soon = () => new Date(Date.now() + 3 * 86_400_000).toISOString().slice(0, 10);
  const past = '2020-01-01';

  const rows: [string, () => Promise<object> | object, number, string, string[]][] = [
    ['quantity 0', () => one(0), 422, 'invalid_request', ['items[0].quantity']],
    ['quantity -1', () => one(-1), 422, 'invalid_request', ['items[0].quantity']],
    ['quantity 1e9', () => one(1e9), 422, 'invalid_request', ['items[0].quantity']],
    ['quantity 1.5', () => one(1.5), 422, 'invalid_request', ['items[0].quantity']],
    ['no items', () => ({ items: [] }), 422, 'invalid_request', ['items']],
    [
      '101 items',
      () => ({ items: Array.from({ length: 101 }, () => ({ variant_id: tea.id, quantity: 1 })) }),
      422,
      'invalid_request',
      ['items'],
    ],
    [
      'a price of its own',
      () => ({ items: [{ variant_id: tea.id, quantity: 1, unit_amount: 1 }] }),
      422,
      'invalid_request',
      ['items[0].unit_amount'],
    ],
    ['a fee of its own', () => ({ delivery_fee_amount: 0 }), 422, 'invalid_request', ['delivery_fee_amount']],
    ['a currency that is none', () => ({ currency: 'ABC' }), 422, 'invalid_request', ['currency']],
    ['a variant without that currency', () => ({ currency: 'JPY' }), 422, 'invalid_request', ['items[0].variant_id']],
    [
      'an inactive variant',
      async () => ({ items: [{ variant_id: (await variant(app, { active: false })).id, quantity: 1 }] }),
      422,
      'invalid_request',
      ['items[0].variant_id'],
    ],
    [
      'an inactive product',
      async () => {
        const { id, productId } = await variant(app);
        await storedProducts.change(app, productId, { active: false });
        return { items: [{ variant_id: id, quantity: 1 }] };
      },
      422,
      'invalid_request',
      ['items[0].variant_id'],
    ],
    [
      'a variant of somebody else',
      async () => ({
        items: [{ variant_id: (await variant(app, { organizationId: stranger.organizationId })).id, quantity: 1 }],
      }),
      422,
      'invalid_request',
      ['items[0].variant_id'],
    ],
    ['an unknown contact', () => ({ contact_id: nobody }), 422, 'invalid_request', ['contact_id']],
    ['an unknown upload', () => ({ checkout_uploads: [nobody] }), 422, 'invalid_request', ['checkout_uploads[0]']],
    [
      'an upload that was deleted',
      async () => {
        const id = await storedMediaAssets.add(app, {
          organization_id: app.tenant.organizationId,
          storage_key: 'key',
          kind: 'image',
          source: 'upload',
          mime_type: 'image/png',
          size_bytes: 1,
          sha256: 'hash',
          deleted_at: now(),
        });
        return { checkout_uploads: [id] };
      },
      422,
      'invalid_request',
      ['checkout_uploads[0]'],
    ],
    ['an unknown code', () => ({ discount_code: 'NONE' }), 422, 'discount_invalid', ['discount_code']],
    [
      'a code that is used up',
      async () => {
        const { code } = await discount(app, { maxUses: 1 });
        await made({ discount_code: code });
        return { discount_code: code };
      },
      422,
      'discount_invalid',
      ['discount_code'],
    ],
    [
      'an expired code',
      async () => ({ discount_code: (await discount(app, { endsAt: '2020-01-01T00:00:00Z' })).code }),
      422,
      'discount_invalid',
      ['discount_code'],
    ],
    [
      'a code below its minimum',
      async () => ({ discount_code: (await discount(app, { minSubtotal: 1_000_000 })).code }),
      422,
      'discount_invalid',
      ['discount_code'],
    ],
    [
      'a code of another currency',
      async () => ({ discount_code: (await discount(app, { kind: 'fixed', currency: 'EUR' })).code }),
      422,
      'discount_invalid',
      ['discount_code'],
    ],
    ['an unknown method', () => ({ delivery_method_id: nobody }), 422, 'invalid_request', ['delivery_method_id']],
    [
      'a method without an address',
      async () => ({ delivery_method_id: (await deliveryMethod(app)).id }),
      422,
      'invalid_request',
      ['shipping_address'],
    ],
    [
      'a slot in the past',
      async () => {
        const { id, slots } = await deliveryMethod(app, { slots: [{ label: 'Morning' }] });
        return { delivery_method_id: id, delivery_timeslot_id: slots[0], delivery_date: past, shipping_address: address };
      },
      409,
      'conflict',
      ['delivery_date'],
    ],
    [
      'a slot of another method',
      async () => {
        const { slots } = await deliveryMethod(app, { slots: [{ label: 'Morning' }] });
        const other = await deliveryMethod(app);
        return { delivery_method_id: other.id, delivery_timeslot_id: slots[0], delivery_date: soon(), shipping_address: address };
      },
      409,
      'conflict',
      ['delivery_timeslot_id'],
    ],
    ['a day that is none', () => ({ delivery_date: '2027-02-29' }), 422, 'invalid_request', ['delivery_date']],
    ['a day that has passed', () => ({ delivery_date: past }), 422, 'invalid_request', ['delivery_date']],
    ['a rate without its quote', () => ({ rate_id: 'x' }), 422, 'invalid_request', ['quote_id']],
    [
      'a quote that is not there',
      async () => ({
        delivery_method_id: (await deliveryMethod(app, { kind: 'live' })).id,
        shipping_address: { ...address, area_id: 'A1' },
        quote_id: nobody,
        rate_id: 'x',
      }),
      422,
      'quote_expired',
      ['quote_id'],
    ],
    ['more than there is', () => one(9_999), 409, 'out_of_stock', ['items[0].quantity']],
  ];

  test.each(rows)('%s', async (_, body, status, code, fields) => {
    const given = await body();
    const before = await app.counts();
    const reply = await create(given);
    expect([reply.status, reply.body.error?.code]).toEqual([status, code]);
    expect(fieldsOf(reply)).toEqual(fields);
    expect(await app.counts()).toEqual(before);
  });

  test('a full slot', async () => {
    const { id, slots } = await deliveryMethod(app, { slots: [{ label: 'Morning', capacity: 1 }] });
    const body = { delivery_method_id: id, delivery_timeslot_id: slots[0], delivery_date: soon(), shipping_address: address };
    const order = await made(body);
    expect([order.delivery_timeslot, order.delivery_date]).toEqual(['Morning', soon()]);
    const full = await create(body);
    expect([full.status, full.body.error.code]).toEqual([409, 'conflict']);
    expect((await move(order, 'cancel')).status).toBe(200);
    await made(body);
  });
});

describe('change', () => {
  test('only given columns, so that two people keep both', async () => {
    const order = await made({ notes: 'a', customer_name: 'Cy' });
    await Promise.all([patch(order, { notes: 'b' }), patch(order, { fulfillment_notes: 'c' })]);
    const both = await get(order.id);
    expect([both.notes, both.fulfillment_notes, both.customer_name, both.revision]).toEqual(['b', 'c', 'Cy', 3]);
    const stale = await patch(order, { notes: 'd', revision: 1 });
    expect([stale.status, stale.body.error.code, fieldsOf(stale)]).toEqual([409, 'conflict', ['revision']]);
    const emptied = (await patch(order, { notes: '' })).body;
    expect('notes' in emptied).toBe(false);
  });

  test('a tracking_url is https without credentials', async () => {
    const order = await made();
    for (const tracking_url of ['http://a.example/1', 'javascript:alert(1)', 'https://user:secret@a.example/'])
      expect([(await patch(order, { tracking_url })).status, tracking_url]).toEqual([422, tracking_url]);
    expect((await patch(order, { tracking_url: 'https://a.example/1' })).body.tracking_url).toBe('https://a.example/1');
  });

  test('customer and delivery stay once it was shipped', async () => {
    const order = await made();
    await move(order, 'confirm');
    await move(order, 'ship');
    for (const change of [{ customer_name: 'X' }, { shipping_address: address }])
      expect((await patch(order, change)).status).toBe(409);
    expect((await patch(order, { tracking_number: 'T1' })).body.tracking_number).toBe('T1');
  });

  test('another day takes its slot and frees the one before', async () => {
    const { id, slots } = await deliveryMethod(app, { slots: [{ label: 'Morning', capacity: 1 }] });
    const day = (n: number) => new Date(Date.now() + n * 86_400_000).toISOString().slice(0, 10);
    const order = await made({
      ...{ delivery_method_id: id, delivery_timeslot_id: slots[0], delivery_date: day(3), shipping_address: address },
    });
    const moved = await patch(order, { delivery_date: day(4) });
    expect([moved.status, moved.body.delivery_date]).toEqual([200, day(4)]);
    const usage = await storedSlotUsage.all(app, { timeslot_id: slots[0] }, { columns: ['day', 'used'], orderBy: 'day' });
    expect(usage).toEqual([
      { day: day(3), used: 0 },
      { day: day(4), used: 1 },
    ]);
  });

  test('another day without the slot of the sale, which was deleted since with its method', async () => {
    const { id, slots } = await deliveryMethod(app, { slots: [{ label: 'Morning' }] });
    const day = (n: number) => new Date(Date.now() + n * 86_400_000).toISOString().slice(0, 10);
    const sold = { delivery_method_id: id, delivery_timeslot_id: slots[0], delivery_date: day(3), shipping_address: address };
    const order = await made(sold);
    expect((await app.call('commerce.delivery-methods.delete', { params: { methodID: id } })).status).toBe(204);
    const moved = await patch(order, { delivery_date: day(4) });
    expect([moved.status, moved.body.delivery_date, moved.body.delivery_timeslot]).toEqual([200, day(4), 'Morning']);
    const named = await patch(order, { delivery_timeslot_id: slots[0] });
    expect([named.status, fieldsOf(named)]).toEqual([422, ['delivery_timeslot_id']]);
    expect((await move(order, 'cancel')).status).toBe(200);
  });
});

test('a stranger finds nothing', async () => {
  const order = await made();
  const { key } = stranger;
  const params = { orderID: order.id };
  expect((await app.call('commerce.orders.get', { params, key })).status).toBe(404);
  expect((await app.call('commerce.orders.update', { params, key, body: { notes: 'x' } })).status).toBe(404);
  expect((await app.call('commerce.orders.cancel', { params, key, body: {} })).status).toBe(404);
  expect((await app.call('commerce.orders.timeline', { params, key })).status).toBe(404);
  expect((await app.call('commerce.orders.list', { key })).body.items).toEqual([]);
});
