import { beforeAll, beforeEach, expect, test } from '@jest/globals';
import { type Body, useApp } from '../../support/app.ts';
import { discount, type VariantMade, variant } from '../../support/factories/sold.ts';
import { paymentAccount } from '../../support/payments.ts';
import { storedConnections } from '../../support/stored/channels.ts';

const app = useApp();
let incense: VariantMade;
beforeAll(async () => {
  incense = await variant(app, { prices: { KWD: 12_345, IDR: 5_000_000, USD: 450 } });
});
beforeEach(async () => {
  await storedConnections.remove(app, { organization_id: app.tenant.organizationId });
});

const order = (currency: string, more: object = {}) =>
  app.call('commerce.orders.create', { body: { currency, items: [{ variant_id: incense.id, quantity: 1 }], ...more } });
const account = (provider: 'stripe' | 'xendit') => paymentAccount(app, provider, { isTold: false });
const detailsOf = ({ status, body }: { status: number; body: Body }) => [status, body.error?.details];
const ordersOf = async () => (await app.call('commerce.orders.list', {})).body.items.length;

test('refuses an order whose total the connected provider cannot express, and stores nothing', async () => {
  await account('stripe');
  const before = await ordersOf();
  const message = 'stripe cannot express 12.345 KWD exactly';
  expect(detailsOf(await order('KWD'))).toEqual([422, [{ field: 'items', location: 'body', code: 'payment.amount', message }]]);
  expect(await ordersOf()).toBe(before);
});

test('takes an order whose total is expressible, though a price alone is not', async () => {
  await account('stripe');
  const { status, body } = await order('KWD', { items: [{ variant_id: incense.id, quantity: 2 }] });
  expect([status, body.total_amount]).toEqual([201, 24_690]);
});

test('a provider that does not take the currency neither refuses the order nor allows it', async () => {
  await account('xendit');
  expect((await order('KWD')).status).toBe(201);
  await account('stripe');
  expect(detailsOf(await order('KWD'))).toMatchObject([422, [{ message: 'stripe cannot express 12.345 KWD exactly' }]]);
});

test('takes an order that one of two providers can express', async () => {
  await account('xendit');
  await account('stripe');
  expect((await order('USD')).status).toBe(201);
});

test.each<[string, () => Promise<unknown>]>([
  ['no payment account is connected', async () => undefined],
  [
    'the only account has lost its credentials',
    async () => storedConnections.change(app, (await account('stripe')).id, { status: 'auth_error' }),
  ],
])('takes an order where %s', async (_, prepare) => {
  await prepare();
  expect((await order('KWD')).status).toBe(201);
});

test('takes an order that costs nothing', async () => {
  await account('xendit');
  const { code } = await discount(app, { kind: 'percent', value: 10_000 });
  const { status, body } = await order('USD', { discount_code: code });
  expect([status, body.total_amount]).toEqual([201, 0]);
});

test('a draft shows the fault that its conversion is refused for', async () => {
  await account('stripe');
  const body = { currency: 'KWD', items: [{ variant_id: incense.id, quantity: 1 }] };
  const draft = (await app.call('commerce.draft-orders.create', { body })).body;
  expect(draft.faults).toMatchObject([{ field: 'items', code: 'payment.amount' }]);
  const converted = await app.call('commerce.draft-orders.convert', { params: { draftOrderID: draft.id } });
  expect(detailsOf(converted)).toMatchObject([422, [{ field: 'items', code: 'payment.amount' }]]);
});
