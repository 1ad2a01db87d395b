import { beforeAll, describe, expect, test } from '@jest/globals';
import { quotedRate } from '../../../src/commerce/delivery/quoted-rate.ts';
import { ownRows } from '../../../src/platform/database/own.ts';
import { uuidv7 } from '../../../src/platform/ids.ts';
import { type Body, useApp } from '../../support/app.ts';
import { connectShipper, fault, menteng, type ShipperAccount, weighedVariant } from '../../support/shipping.ts';
import { storedDeliveryMethods, storedDraftOrders, storedQuotes } from '../../support/stored/commerce.ts';
import { ago } from '../../support/stored/times.ts';

const app = useApp({ workers: true });
let shipper: ShipperAccount;
let tea: string;
let lesson: string;
beforeAll(async () => {
  shipper = await connectShipper(app);
  tea = await variant({});
  lesson = await variant({ kind: 'digital', weight: null });
});

const variant = (sold: Parameters<typeof weighedVariant>[2] = {}) => weighedVariant(app, app.tenant.organizationId, sold);

const quote = (body: object, isWaiting = true) =>
  app.call('commerce.shipping-quotes.create', {
    body: { destination: { area_id: menteng }, ...body },
    ...(isWaiting && { headers: { prefer: 'wait=20' } }),
  });

const own = () => ownRows(app.web.deps.database, app.tenant.organizationId);
const taking = (id: string, rateId: string, more: object = {}) =>
  quotedRate(own(), { quoteId: id, rateId, areaId: menteng, items: [{ variant_id: tea, quantity: 2 }], ...more });

describe('a quote', () => {
  test('has the rates of the shipper, each with an id of ours, for half an hour', async () => {
    const reply = await quote({
      items: [
        { variant_id: tea, quantity: 2 },
        { variant_id: lesson, quantity: 1 },
      ],
    });
    expect(reply.status).toBe(201);
    expect(reply.headers.get('location')).toBe(`/v1/commerce/shipping-quotes/${reply.body.id}`);
    expect(reply.body).toMatchObject({
      status: 'ready',
      connection_id: shipper.id,
      destination: { area_id: menteng },
      failure: null,
    });
    const validMs = Date.parse(reply.body.expires_at) - Date.now();
    expect(validMs).toBeGreaterThan(29 * 60_000);
    expect(validMs).toBeLessThanOrEqual(30 * 60_000 + 5_000);
    const { rates } = reply.body;
    expect(rates.length).toBeGreaterThan(3);
    expect(new Set(rates.map(({ id }: Body) => id)).size).toBe(rates.length);
    for (const rate of rates) expect(rate).toMatchObject({ currency: 'IDR', fee_amount: rate.shipper_price_idr * 100 });
    const { body } = await app.call('commerce.shipping-quotes.get', { params: { quoteID: reply.body.id } });
    expect(body).toEqual(reply.body);
    const [asked] = (await app.control('GET', '/requests?path=/shipper/v1/rates')).requests.slice(-1);
    expect(asked.body.items).toEqual([{ name: 'Tea, Green', quantity: 2, weight: 600, value: 50_000 }]);
  });

  test('without waiting it is pending, and comes', async () => {
    const { status, body, headers } = await quote({ items: [{ variant_id: tea, quantity: 1 }] }, false);
    expect([status, body.status, body.rates]).toEqual([201, 'pending', []]);
    expect(headers.get('operation-id')).toEqual(expect.any(String));
    await app.idle();
    expect((await app.call('commerce.shipping-quotes.get', { params: { quoteID: body.id } })).body.status).toBe('ready');
  });

  test('an order takes one of its rates, for this address and these pieces, while it is good', async () => {
    const { body } = await quote({ items: [{ variant_id: tea, quantity: 2 }] });
    const [rate] = body.rates;
    expect(await taking(body.id, rate.id)).toEqual({ ...rate, connection_id: shipper.id });
    const halves = [1, 1].map((quantity) => ({ variant_id: tea, quantity }));
    expect(await taking(body.id, rate.id, { items: halves })).toMatchObject({ id: rate.id });
    const refused: [string, object][] = [
      ['rate_id', { rateId: uuidv7() }],
      ['quote_id', { quoteId: uuidv7() }],
      ['quote_id', { quoteId: 'none' }],
      ['quote_id', { areaId: 'IDNP6' }],
      ['quote_id', { items: [{ variant_id: tea, quantity: 3 }] }],
    ];
    for (const [field, more] of refused)
      await expect(taking(body.id, rate.id, more)).rejects.toMatchObject({
        code: 'quote_expired',
        status: 422,
        details: [{ field }],
      });
    await storedQuotes.change(app, body.id, { expires_at: ago(1, 'second') });
    await expect(taking(body.id, rate.id)).rejects.toMatchObject({ code: 'quote_expired' });
  });

  test('of a draft takes its items and its address', async () => {
    const id = uuidv7();
    const content = { items: [{ variant_id: tea, quantity: 3 }], shipping_address: { area_id: menteng } };
    await storedDraftOrders.add(app, { id, organization_id: app.tenant.organizationId, content });
    const { status, body } = await app.call('commerce.shipping-quotes.create', { body: { draft_order_id: id } });
    expect(status).toBe(201);
    expect(body).toMatchObject({ destination: { area_id: menteng }, items: content.items });
    expect((await quote({ draft_order_id: uuidv7() })).status).toBe(404);
  });

  test('that the shipper refuses has failed and says why', async () => {
    const reply = await app.call('commerce.shipping-quotes.create', {
      body: { destination: { area_id: 'NOWHERE' }, items: [{ variant_id: tea, quantity: 1 }] },
      headers: { prefer: 'wait=20' },
    });
    expect(reply.status).toBe(201);
    expect(reply.body).toMatchObject({ status: 'failed', failure: { code: 'provider_refused', provider_code: '40001001' } });
    await expect(taking(reply.body.id, uuidv7())).rejects.toMatchObject({ code: 'quote_expired' });
  });

  test('is asked again while the shipper is away', async () => {
    await fault(app, 'drop_after', '/v1/rates');
    expect((await quote({ items: [{ variant_id: tea, quantity: 1 }] })).body.status).toBe('ready');
  });
});

describe('is refused', () => {
  test.each<[string, string, () => Promise<object>]>([
    ['items[0].variant_id', 'reference.unknown', async () => ({ items: [{ variant_id: uuidv7(), quantity: 1 }] })],
    ['items[1].variant_id', 'variant.inactive', async () => ({ items: [one(tea), one(await variant({ isActive: false }))] })],
    ['items[0].variant_id', 'weight_grams.required', async () => ({ items: [one(await variant({ weight: null }))] })],
    ['items[0].variant_id', 'variant.currency', async () => ({ items: [one(await variant({ currency: 'USD' }))] })],
    ['items', 'items.shipped', async () => ({ items: [one(lesson)] })],
    ['items[0].quantity', 'number.min', async () => ({ items: [{ variant_id: tea, quantity: 0 }] })],
    ['items[0].quantity', 'number.integer', async () => ({ items: [{ variant_id: tea, quantity: 1.5 }] })],
    ['delivery_method_id', 'reference.unknown', async () => ({ items: [one(tea)], delivery_method_id: uuidv7() })],
  ])('422 at %s: %s', async (field, code, body) => {
    const reply = await quote(await body());
    expect(reply.status).toBe(422);
    expect(reply.body.error.details).toMatchObject([{ field, code }]);
  });

  test('a method that is not live', async () => {
    const id = uuidv7();
    await storedDeliveryMethods.add(app, {
      id,
      organization_id: app.tenant.organizationId,
      name: 'Van',
      kind: 'flat',
      currency: 'IDR',
    });
    const { status, body } = await quote({ items: [one(tea)], delivery_method_id: id });
    expect([status, body.error.details[0].code]).toEqual([422, 'method.kind']);
  });

  test('items and a draft, neither, and no destination', async () => {
    expect((await quote({ items: [one(tea)], draft_order_id: uuidv7() })).status).toBe(422);
    expect((await quote({})).status).toBe(422);
    const { status, body } = await app.call('commerce.shipping-quotes.create', { body: { items: [one(tea)] } });
    expect([status, body.error.details[0].field]).toEqual([422, 'destination']);
  });
});

const one = (variant_id: string) => ({ variant_id, quantity: 1 });
