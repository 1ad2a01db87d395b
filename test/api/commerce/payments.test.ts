import { describe, expect, test } from '@jest/globals';
import { type Body, useApp } from '../../support/app.ts';
import { orderRow, owingOrder, toldAbout } from '../../support/payments.ts';
import { storedOrders } from '../../support/stored/commerce.ts';

const app = useApp();

const record = (orderID: string, body: object, key?: string) =>
  app.call('commerce.payments.create', {
    params: { orderID },
    body: { amount: 10_000, method: 'cash', ...body },
    ...(key && { key }),
  });
const field = ({ body }: { body: Body }) => body.error?.details?.[0]?.field;

describe('a payment that is recorded', () => {
  test('pays the order when it comes to the total, and not before', async () => {
    const id = await owingOrder(app, { total: 30_000 });
    const first = await record(id, { note: 'At the door', received_at: '2026-11-20T10:00:00Z' });
    expect([first.status, first.body]).toMatchObject([
      201,
      { order_id: id, amount: 10_000, method: 'cash', session_id: null, received_at: '2026-11-20T10:00:00.000Z' },
    ]);
    expect(await orderRow(app, id)).toMatchObject({ status: 'pending', payment_status: 'pending', paid_amount: '10000' });
    await record(id, { amount: 20_000, method: 'transfer' });
    expect(await orderRow(app, id)).toMatchObject({ status: 'confirmed', payment_status: 'paid', payment_method: 'transfer' });
    expect(await toldAbout(app, id)).toEqual([
      'payment received 10000',
      'commerce.order.updated pending pending',
      'payment received 20000',
      'commerce.order.updated confirmed paid',
    ]);
    const { body: list } = await app.call('commerce.payments.list', { params: { orderID: id } });
    expect(list.items.map(({ amount }: Body) => amount)).toEqual([20_000, 10_000]);
    const one = await app.call('commerce.payments.get', { params: { orderID: id, paymentID: first.body.id } });
    expect(one.body).toEqual(first.body);
    expect(first.headers.get('location')).toBe(`/v1/commerce/orders/${id}/payments/${first.body.id}`);
  });

  test('more than is owed is counted and shown', async () => {
    const id = await owingOrder(app, { total: 10_000 });
    await record(id, { amount: 10_000 });
    await record(id, { amount: 2_500 });
    expect(await orderRow(app, id)).toMatchObject({ payment_status: 'paid', paid_amount: '12500', attention: ['overpaid'] });
  });

  test('money for a cancelled order is counted, and asks for attention', async () => {
    const id = await owingOrder(app, { total: 10_000 });
    await storedOrders.change(app, id, { status: 'cancelled' });
    await record(id, {});
    expect(await orderRow(app, id)).toMatchObject({
      status: 'cancelled',
      payment_status: 'paid',
      attention: ['paid_after_cancel'],
    });
  });

  const cancel = (orderID: string, body: object = {}) => app.call('commerce.orders.cancel', { params: { orderID }, body });

  test('money that is left on an order when it is cancelled asks for attention, until it is given back', async () => {
    const id = await owingOrder(app, { total: 10_000 });
    await record(id, { amount: 4_000 });
    const { body } = await cancel(id);
    expect([body.status, body.attention]).toEqual(['cancelled', ['paid_after_cancel']]);
    const refund = (amount: number) => app.call('commerce.refunds.create', { params: { orderID: id }, body: { amount } });
    await refund(1_000);
    expect((await orderRow(app, id)).attention).toEqual(['paid_after_cancel']);
    await refund(3_000);
    expect((await orderRow(app, id)).attention).toEqual([]);
  });

  test('cancelled with its money given back, or with none of it left, it asks for none', async () => {
    const id = await owingOrder(app, { total: 10_000 });
    await record(id, {});
    expect((await cancel(id, { refund: true })).body).toMatchObject({ payment_status: 'refunded', attention: [] });
    const earlier = await owingOrder(app, { total: 10_000 });
    await record(earlier, {});
    await app.call('commerce.refunds.create', { params: { orderID: earlier } });
    expect((await cancel(earlier)).body).toMatchObject({ payment_status: 'refunded', attention: [] });
    expect((await cancel(await owingOrder(app))).body.attention).toEqual([]);
  });

  test.each([
    ['amount', { amount: 0 }],
    ['amount', { amount: -5 }],
    ['amount', { amount: 1.5 }],
    ['amount', { amount: '100' }],
    ['amount', { amount: 2 ** 53 }],
    ['method', { method: '  ' }],
    ['method', { method: 'x'.repeat(51) }],
    ['note', { note: 'x'.repeat(501) }],
    ['received_at', { received_at: 'yesterday' }],
  ])('%s of %j: 422', async (name, body) => {
    const id = await owingOrder(app);
    const reply = await record(id, body);
    expect([reply.status, field(reply)]).toEqual([422, name]);
    expect(await orderRow(app, id)).toMatchObject({ paid_amount: '0', revision: 1 });
  });

  test('an amount that nobody can pay: 422', async () => {
    const id = await owingOrder(app);
    const reply = await record(id, { amount: 15_000_050 });
    expect([reply.status, field(reply)]).toEqual([422, 'amount']);
    expect(await orderRow(app, id)).toMatchObject({ paid_amount: '0', revision: 1 });
  });

  test('beyond what a number of JSON holds exactly, all together: 422, never rounded', async () => {
    const id = await owingOrder(app, { currency: 'USD', total: 10_000 });
    const most = 2 ** 53 - 1;
    expect((await record(id, { amount: most })).status).toBe(201);
    const more = await record(id, { amount: 1 });
    expect([more.status, more.body.error?.code, field(more)]).toEqual([422, 'limit_reached', 'amount']);
    expect(await orderRow(app, id)).toMatchObject({ paid_amount: String(most), revision: 2 });
  });

  test('takes its scope, and an order of the caller', async () => {
    const id = await owingOrder(app);
    const { key } = await app.key(app.tenant.organizationId, ['commerce:read', 'commerce:write']);
    expect((await record(id, {}, key)).status).toBe(403);
    const other = await app.organization();
    expect((await record(id, {}, other.key)).status).toBe(404);
  });
});

describe('a refund of it', () => {
  const refund = (orderID: string, body: object = {}) => app.call('commerce.refunds.create', { params: { orderID }, body });

  test('has succeeded at once, in part and whole', async () => {
    const id = await owingOrder(app, { total: 10_000 });
    const { body: payment } = await record(id, {});
    const part = await refund(id, { amount: 4_000, reason: 'Broken' });
    expect([part.status, part.body]).toMatchObject([201, { status: 'succeeded', amount: 4_000, payment_id: payment.id }]);
    expect(part.headers.get('operation-id')).toBeNull();
    expect(await orderRow(app, id)).toMatchObject({ payment_status: 'partially_refunded', refunded_amount: '4000' });
    expect((await refund(id)).body.amount).toBe(6_000);
    expect(await orderRow(app, id)).toMatchObject({ payment_status: 'refunded', refunded_amount: '10000' });
    const { body: list } = await app.call('commerce.refunds.list', { params: { orderID: id } });
    expect(list.items.map(({ amount }: Body) => amount)).toEqual([6_000, 4_000]);
    const got = await app.call('commerce.refunds.get', { params: { orderID: id, refundID: part.body.id } });
    expect(got.body).toEqual(part.body);
  });

  test('of surplus leaves the order paid, and settles the attention', async () => {
    const id = await owingOrder(app, { total: 10_000 });
    await record(id, {});
    const { body: surplus } = await record(id, { amount: 3_000 });
    await refund(id, { payment_id: surplus.id });
    expect(await orderRow(app, id)).toMatchObject({ payment_status: 'paid', refunded_amount: '3000', attention: [] });
  });

  test.each([
    ['amount', { amount: 10_100 }],
    ['amount', { amount: 50 }],
    ['amount', { amount: 0 }],
    ['payment_id', { payment_id: '01932d5f-3a0e-7cc4-8f4e-0242ac120099' }],
  ])('%s of %j: 422, and nothing is given back', async (name, body) => {
    const id = await owingOrder(app, { total: 10_000 });
    await record(id, {});
    const reply = await refund(id, body);
    expect([reply.status, field(reply)]).toEqual([422, name]);
    expect(await orderRow(app, id)).toMatchObject({ payment_status: 'paid', refunded_amount: '0' });
  });

  test('of an order that nobody paid: 422', async () => {
    const reply = await refund(await owingOrder(app));
    expect([reply.status, field(reply)]).toEqual([422, 'amount']);
  });

  test('fifty at once never give back more than was paid', async () => {
    const id = await owingOrder(app, { total: 10_000 });
    await record(id, {});
    const replies = await Promise.all(Array.from({ length: 50 }, () => refund(id, { amount: 1_000 })));
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(10);
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([201, 422]));
    expect(await orderRow(app, id)).toMatchObject({ payment_status: 'refunded', refunded_amount: '10000' });
  });
});
