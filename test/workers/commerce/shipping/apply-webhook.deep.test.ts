import { beforeAll, expect, test } from '@jest/globals';
import { type Body, useApp } from '../../../support/app.ts';
import { newRandom } from '../../../support/seed.ts';
import {
  connectShipper,
  courier,
  fault,
  hearShipper,
  jne,
  lookNow,
  orderRow,
  orderToSend,
  type ShipperAccount,
  ship,
  shipmentEvents,
  shipmentIn,
  shipmentRow,
  there,
} from '../../../support/shipping.ts';
import { waitFor } from '../../../support/wait-for.ts';
import { jobRows, secondsUntilRun } from '../../../support/work/jobs.ts';

const random = newRandom();

const app = useApp({ workers: true });
let shipper: ShipperAccount;
beforeAll(async () => {
  shipper = await connectShipper(app);
  await hearShipper(app, shipper);
});

async function sent(columns: Record<string, unknown> = {}) {
  const orderID = await orderToSend(app, columns);
  const { body } = await ship(app, orderID);
  return { orderID, id: body.id as string, shipperId: body.shipper_order_id as string };
}

const post = (body: object | string, secret: string | null = shipper.secret, id = shipper.id) =>
  app.raw('POST', `/v1/providers/shipping/${id}/webhook`, {
    key: null,
    headers: { 'content-type': 'application/json', ...(secret !== null && { 'x-webhook-secret': secret }) },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });

test('a parcel goes from hand to hand, and the order with it', async () => {
  const { orderID, id } = await sent();
  for (const status of ['scheduled', 'allocated', 'picking_up']) {
    await courier(app, id, status);
    await shipmentIn(app, id, { provider_status: status, last_webhook_event: 'order.status', last_webhook_status: status });
    expect(await orderRow(app, orderID)).toMatchObject({ status: 'processing', fulfillment_status: 'requested' });
  }
  await courier(app, id, 'picked');
  await shipmentIn(app, id, { provider_status: 'picked' });
  expect(await orderRow(app, orderID)).toMatchObject({ status: 'shipped', fulfillment_status: 'shipped' });
  await courier(app, id, 'delivered');
  await shipmentIn(app, id, { status: 'delivered' });
  expect(await orderRow(app, orderID)).toMatchObject({ status: 'completed', fulfillment_status: 'delivered', attention: [] });
  expect(await shipmentEvents(app, orderID)).toEqual([
    'creating',
    'confirmed confirmed',
    'confirmed scheduled',
    'confirmed allocated',
    'confirmed picking_up',
    'confirmed picked',
    'delivered delivered',
  ]);
  const updated = (await app.events(orderID)).filter(({ type }) => type === 'commerce.order.updated');
  expect(updated.map(({ data }) => data.status)).toEqual(['processing', 'shipped', 'completed']);
});

test('doubled and shuffled webhooks of a whole way are one way', async () => {
  const { orderID, id, shipperId } = await sent();
  await courier(app, id, 'delivered', { is_told: false });
  const words = ['confirmed', 'allocated', 'picked', 'dropping_off', 'delivered'];
  const hints = [...words, ...words].sort(() => random() - 0.5);
  await Promise.all(hints.map((status, index) => post({ event: 'order.status', order_id: shipperId, status, at: index })));
  await app.settled();
  expect(await shipmentRow(app, id)).toMatchObject({ status: 'delivered', provider_status: 'delivered' });
  expect(await orderRow(app, orderID)).toMatchObject({ status: 'completed', fulfillment_status: 'delivered' });
  expect(await shipmentEvents(app, orderID)).toEqual(['creating', 'confirmed confirmed', 'delivered delivered']);
  const updated = (await app.events(orderID)).filter(({ type }) => type === 'commerce.order.updated');
  expect(updated.map(({ data }) => data.status)).toEqual(['processing', 'completed']);
});

test('a body is a hint: what it says is not believed', async () => {
  const { orderID, id, shipperId } = await sent();
  await app.settled();
  await post({ event: 'order.status', order_id: shipperId, status: 'delivered', order_price: 1 });
  await app.settled();
  expect(await shipmentRow(app, id)).toMatchObject({
    status: 'confirmed',
    provider_status: 'confirmed',
    last_webhook_status: 'delivered',
  });
  expect(await orderRow(app, orderID)).toMatchObject({ status: 'processing', attention: [] });
});

test('forged ones are a 401 and kept by nobody; empty and unknown ones are a 200', async () => {
  const { id, shipperId } = await sent();
  await app.settled();
  await courier(app, id, 'picked', { is_told: false });
  const body = { event: 'order.status', order_id: shipperId, status: 'picked' };
  const other = await connectShipper(app, { tenant: await app.organization() });
  for (const secret of [null, '', 'wrong', other.secret]) expect((await post(body, secret)).status).toBe(401);
  expect((await post(body, shipper.secret, orderToSendId())).status).toBe(404);
  expect((await post('')).status).toBe(200);
  expect((await post({ event: 'order.status', order_id: 'nobody', status: 'picked' })).status).toBe(200);
  // Another account does not know the order.
  expect((await post(body, other.secret, other.id)).status).toBe(200);
  await app.settled();
  expect(await shipmentRow(app, id)).toMatchObject({ provider_status: 'confirmed' });
});

const orderToSendId = () => '01932d5f-3a0e-7cc4-8f4e-0242ac129999';

test.each([
  ['rejected', 'failed'],
  ['disposed', 'failed'],
  ['courier_not_found', 'failed'],
  ['cancelled', 'cancelled'],
])('%s there is failed here, asks for attention and makes way for another', async (word, status) => {
  const { orderID, id } = await sent();
  await courier(app, id, word);
  await shipmentIn(app, id, { status });
  expect(await orderRow(app, orderID)).toMatchObject({ fulfillment_status: 'failed', attention: ['shipment_failed'] });
  const again = await ship(app, orderID);
  expect(again.status).toBe(201);
  expect(await orderRow(app, orderID)).toMatchObject({ fulfillment_status: 'requested', attention: [] });
  // What the first one does now is not the order's any more.
  await courier(app, id, 'delivered');
  await app.settled();
  expect(await orderRow(app, orderID)).toMatchObject({ status: 'processing', fulfillment_status: 'requested' });
});

test('what comes back is returned, and may be sent again', async () => {
  const { orderID, id } = await sent();
  await courier(app, id, 'picked');
  await shipmentIn(app, id, { provider_status: 'picked' });
  await courier(app, id, 'return_in_transit');
  await shipmentIn(app, id, { provider_status: 'return_in_transit', status: 'confirmed' });
  await courier(app, id, 'returned');
  await shipmentIn(app, id, { status: 'returned' });
  expect(await orderRow(app, orderID)).toMatchObject({
    status: 'shipped',
    fulfillment_status: 'returned',
    attention: ['shipment_failed'],
  });
  expect((await ship(app, orderID)).status).toBe(201);
});

test('another price asks for attention once it differs', async () => {
  const { orderID, id } = await sent();
  const before = await shipmentRow(app, id);
  await app.control('POST', `/shipments/${id}/status`, { price: Number(before.shipper_price_idr) + 500 });
  // The webhook of its making may come as late, and reads the new price too.
  const price = String(Number(before.shipper_price_idr) + 500);
  await shipmentIn(app, id, { shipper_price_idr: price, last_webhook_event: 'order.price' });
  expect(await orderRow(app, orderID)).toMatchObject({ attention: ['price_changed'] });
});

test('a waybill that comes later is the tracking number', async () => {
  const { orderID, id } = await sent();
  await app.control('POST', `/shipments/${id}/status`, { waybill_id: 'JNE77' });
  await shipmentIn(app, id, { tracking_number: 'JNE77' });
  expect(await orderRow(app, orderID)).toMatchObject({ tracking_number: 'JNE77' });
});

test('a webhook that overtakes the answer to the creation is matched by our reference', async () => {
  const orderID = await orderToSend(app);
  await fault(app, 'drop_after', '/v1/orders', { match: { method: 'POST' }, times: 1 });
  const { body } = await ship(app, orderID, jne, false);
  const row = await shipmentIn(app, body.id, { status: 'confirmed' });
  expect((await there(app, body.id)).map(({ id }: Body) => id)).toEqual([row.shipper_order_id]);
  await app.settled();
  expect(await shipmentEvents(app, orderID)).toEqual(['creating', 'confirmed confirmed']);
});

test('with all webhooks lost the next look finds it delivered', async () => {
  const { orderID, id } = await sent();
  await app.settled();
  await courier(app, id, 'picked', { is_told: false });
  await lookNow(app, orderID);
  await shipmentIn(app, id, { provider_status: 'picked' });
  const check = await waitFor('the next look', async () => {
    const seconds = await secondsUntilRun(app, { subject_id: orderID, name: 'commerce.check-shipment' });
    return seconds > 60 && { seconds };
  });
  expect(check.seconds).toBeGreaterThan(3_500);
  expect(check.seconds).toBeLessThan(3_700);
  await courier(app, id, 'delivered', { is_told: false });
  await lookNow(app, orderID);
  await shipmentIn(app, id, { status: 'delivered' });
  expect(await orderRow(app, orderID)).toMatchObject({ status: 'completed' });
  const looks = { subject_id: orderID, name: 'commerce.check-shipment' };
  await waitFor('the end of the looks', async () => (await jobRows.count(app, looks)) === 0);
});
