import { beforeAll, describe, expect, test } from '@jest/globals';
import { orderLock } from '../../../src/commerce/orders/order-row.ts';
import { creationRevived } from '../../../src/commerce/shipping/failed.ts';
import { checkJobs } from '../../../src/platform/ledger/check.ts';
import { useApp } from '../../support/app.ts';
import {
  cancel,
  cilandak,
  connectShipper,
  courier,
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
} from '../../support/shipping.ts';
import { storedConnections } from '../../support/stored/channels.ts';
import { storedCommerceSettings, storedOrderItems, storedOrders, storedShipments } from '../../support/stored/commerce.ts';
import { waitFor } from '../../support/wait-for.ts';

const app = useApp({ workers: true });
let shipper: ShipperAccount;
beforeAll(async () => {
  shipper = await connectShipper(app);
});

describe('POST', () => {
  test('orders the courier once, and the order is being processed', async () => {
    const orderID = await orderToSend(app);
    const reply = await ship(app, orderID);
    expect(reply.status).toBe(201);
    const { id } = reply.body;
    expect(reply.headers.get('location')).toBe(`/v1/commerce/orders/${orderID}/shipments/${id}`);
    expect(reply.body).toMatchObject({
      order_id: orderID,
      connection_id: shipper.id,
      status: 'confirmed',
      provider_status: 'confirmed',
      confirm_status: 'confirmed',
      destination_area_id: expect.stringContaining('IDNP'),
      shipper_price_idr: expect.any(Number),
      tracking_number: expect.stringMatching(/^JNE\d{10}$/),
      tracking_url: expect.stringMatching(/^https:/),
      failure: null,
      ...jne,
    });
    const [made, ...more] = await there(app, id);
    expect(more).toEqual([]);
    expect(made).toMatchObject({ id: reply.body.shipper_order_id, reference_id: id });
    expect(made.destination).toMatchObject({ contact_name: 'Siti', contact_phone: '+6281200000002' });
    expect(made.items).toEqual([{ name: 'Tea', quantity: 2, value: 100_000, weight: 600 }]);
    expect(await orderRow(app, orderID)).toMatchObject({
      status: 'processing',
      fulfillment_status: 'requested',
      tracking_number: reply.body.tracking_number,
      tracking_url: reply.body.tracking_url,
      fulfillment_carrier: 'jne',
      attention: [],
    });
    expect(await shipmentEvents(app, orderID)).toEqual(['creating', 'confirmed confirmed']);
  });

  test('an order has one live shipment', async () => {
    const orderID = await orderToSend(app);
    const first = await ship(app, orderID);
    const replies = await Promise.all([1, 2, 3].map(() => ship(app, orderID, jne, false)));
    for (const { status, body } of replies) {
      expect(status).toBe(409);
      expect(body.error.details).toMatchObject([{ code: 'shipment.live', value: first.body.id }]);
    }
    expect(await storedShipments.count(app, { order_id: orderID })).toBe(1);
  });

  test('asked many times at once it is one', async () => {
    const orderID = await orderToSend(app);
    const replies = await Promise.all([1, 2, 3, 4, 5].map(() => ship(app, orderID, jne, false)));
    expect(replies.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409]);
    await app.idle();
    const [made] = await storedShipments.all(app, { order_id: orderID }, { columns: ['id'] });
    expect(await there(app, made.id)).toHaveLength(1);
  });

  test.each([
    ['pending', {}],
    ['cancelled', {}],
    ['completed', {}],
    ['shipped', { fulfillment_status: 'shipped' }],
    ['shipped', { fulfillment_status: 'delivered' }],
  ])('of an order that is %s %j is a 409 that changes nothing', async (status, columns) => {
    const orderID = await orderToSend(app, { status, ...columns });
    const reply = await ship(app, orderID);
    expect(reply.status).toBe(409);
    expect(reply.body.error.code).toBe('conflict');
    expect(await orderRow(app, orderID)).toMatchObject({ status, revision: 1 });
    expect(await storedShipments.count(app, { order_id: orderID })).toBe(0);
  });

  test('of an order that was restocked is a 409: its pieces may be sold by now', async () => {
    const orderID = await orderToSend(app, { status: 'shipped', fulfillment_status: 'returned' });
    expect((await app.call('commerce.orders.restock', { params: { orderID }, body: {} })).status).toBe(200);
    const reply = await ship(app, orderID);
    expect([reply.status, reply.body.error.code]).toEqual([409, 'conflict']);
    expect(await storedShipments.count(app, { order_id: orderID })).toBe(0);
  });

  test('while a parcel is on its way nothing is restocked, and a failed one is not tried again after it', async () => {
    const orderID = await orderToSend(app, { status: 'shipped', fulfillment_status: 'returned' });
    const restock = () => app.call('commerce.orders.restock', { params: { orderID }, body: {} });
    const { body } = await ship(app, orderID);
    const live = await restock();
    expect([live.status, live.body.error.details]).toMatchObject([409, [{ code: 'shipment.live', value: body.id }]]);
    await storedShipments.change(app, body.id, { status: 'confirmed', provider_status: 'return_in_transit' });
    expect((await restock()).status).toBe(200);
    await storedShipments.change(app, body.id, {
      status: 'failed',
      shipper_order_id: null,
      failure: { code: 'x', message: 'x' },
    });
    const revived = app.web.deps.ledger.transact({ locks: [orderLock(orderID)] }, (tx) =>
      creationRevived(tx.of(app.tenant.organizationId), orderID, body.id),
    );
    await expect(revived).rejects.toMatchObject({ code: 'conflict', message: expect.stringContaining('back in stock') });
  });

  test('of prepaid deliveries the next one may be sent, and nothing is counted down', async () => {
    const orderID = await orderToSend(app, {
      status: 'shipped',
      fulfillment_status: 'delivered',
      prepaid_deliveries_total: 12,
      prepaid_deliveries_remaining: 7,
    });
    const { status, body } = await ship(app, orderID);
    expect(status).toBe(201);
    expect(await orderRow(app, orderID)).toMatchObject({ fulfillment_status: 'requested', prepaid_deliveries_remaining: 7 });
    await courier(app, body.id, 'delivered', { is_told: false });
    await lookNow(app, orderID);
    await shipmentIn(app, body.id, { status: 'delivered' });
    expect(await orderRow(app, orderID)).toMatchObject({
      status: 'shipped',
      fulfillment_status: 'delivered',
      prepaid_deliveries_remaining: 7,
    });
  });

  test.each([
    ['shipping_address', { shipping_address: null }],
    ['shipping_address.area_id', { shipping_address: JSON.stringify({ address: 'a', city: 'b', district: 'c', province: 'd' }) }],
    ['customer_name', { customer_name: '' }],
    ['customer_phone', { customer_phone: '' }],
  ])('what the shipper needs and the order does not say is a 422 at %s', async (field, columns) => {
    const orderID = await orderToSend(app, columns);
    const reply = await ship(app, orderID);
    expect(reply.status).toBe(422);
    expect(reply.body.error.details).toMatchObject([{ field }]);
    expect(await orderRow(app, orderID)).toMatchObject({ status: 'confirmed', revision: 1 });
  });

  test('weights and things to send are needed', async () => {
    const light = await orderToSend(app);
    await storedOrderItems.change(app, { order_id: light }, { weight_grams: null });
    expect((await ship(app, light)).body.error.details).toMatchObject([{ field: 'items[0]', code: 'weight_grams.required' }]);
    const nothing = await orderToSend(app);
    await storedOrderItems.change(app, { order_id: nothing }, { is_shipped: false });
    expect((await ship(app, nothing)).body.error.details).toMatchObject([{ field: 'items' }]);
  });

  test('an order that was sold without a rate needs a courier; one with a rate has it', async () => {
    const plain = await orderToSend(app);
    expect((await ship(app, plain, {})).body.error.details).toMatchObject([{ field: 'courier_code' }]);
    expect((await ship(app, plain, { courier_code: 'jne' })).status).toBe(422);
    const rate = {
      connection_id: shipper.id,
      courier_code: 'sicepat',
      courier_name: 'SiCepat',
      courier_service_code: 'reg',
      courier_service_name: 'Reguler',
      duration: '',
      shipper_price_idr: 1,
      fee_amount: 100,
      currency: 'IDR',
    };
    const rated = await orderToSend(app, { rate: JSON.stringify(rate), delivery_kind: 'live' });
    const { status, body } = await ship(app, rated, {});
    expect(status).toBe(201);
    expect(body).toMatchObject({ courier_code: 'sicepat', courier_service_code: 'reg' });
    // The shipper asks for more than the customer was quoted.
    expect(await orderRow(app, rated)).toMatchObject({ attention: ['price_changed'], fulfillment_carrier: 'SiCepat' });
  });

  test('what the shipper refuses is a failed shipment, which asks for attention and makes way for another', async () => {
    const orderID = await orderToSend(app);
    const reply = await ship(app, orderID, { courier_code: 'nobody', courier_service_code: 'reg' });
    expect(reply.status).toBe(201);
    expect(reply.body).toMatchObject({
      status: 'failed',
      confirm_status: 'failed',
      confirm_error: expect.stringContaining('courier'),
      failure: { code: 'provider_refused', provider_code: '40002021' },
    });
    expect(await orderRow(app, orderID)).toMatchObject({
      status: 'processing',
      fulfillment_status: 'failed',
      attention: ['shipment_failed'],
    });
    const again = await ship(app, orderID);
    expect(again.body.status).toBe('confirmed');
    expect(await orderRow(app, orderID)).toMatchObject({ fulfillment_status: 'requested', attention: [] });
    const { body } = await app.call('commerce.shipments.list', { params: { orderID } });
    expect(body.items.map(({ id }: { id: string }) => id)).toEqual([again.body.id, reply.body.id]);
    const one = await app.call('commerce.shipments.get', { params: { orderID, shipmentID: reply.body.id } });
    expect(one.body.status).toBe('failed');
  });
});

describe('connections', () => {
  test('without one it is a 422, with one that is not connected a 409', async () => {
    const tenant = await app.organization();
    const orderID = await orderToSend(app, {}, { tenant });
    await storedCommerceSettings.add(app, {
      organization_id: tenant.organizationId,
      shipping_origin: { contact_name: 'S', contact_phone: '+6281200000001', address: 'a', area_id: cilandak },
    });
    const ask = () => app.call('commerce.shipments.create', { key: tenant.key, params: { orderID }, body: jne });
    expect(await ask()).toMatchObject({ status: 422, body: { error: { code: 'connection_required' } } });
    const { id } = await connectShipper(app, { tenant });
    await storedConnections.change(app, id, { status: 'auth_error' });
    expect(await ask()).toMatchObject({ status: 409, body: { error: { code: 'connection_unavailable' } } });
    await storedCommerceSettings.change(app, { organization_id: tenant.organizationId }, { shipping_origin: null });
    expect((await ask()).body.error.details).toMatchObject([{ field: 'shipping_origin' }]);
  });
});

describe('cancel', () => {
  test('until the courier has the parcel; again it is the same', async () => {
    const orderID = await orderToSend(app);
    const { body } = await ship(app, orderID);
    const reply = await cancel(app, orderID, body.id);
    expect(reply.status).toBe(200);
    expect(reply.body).toMatchObject({ status: 'cancelled', provider_status: 'cancelled' });
    expect(await there(app, body.id)).toMatchObject([{ status: 'cancelled' }]);
    const again = await cancel(app, orderID, body.id);
    expect([again.status, again.body.status, again.headers.get('operation-id')]).toEqual([200, 'cancelled', null]);
    expect(await orderRow(app, orderID)).toMatchObject({ status: 'processing', fulfillment_status: 'failed', attention: [] });
    expect((await ship(app, orderID)).status).toBe(201);
  });

  test('once it is picked, or over, it is a 409', async () => {
    const orderID = await orderToSend(app);
    const { body } = await ship(app, orderID);
    await courier(app, body.id, 'picked', { is_told: false });
    await lookNow(app, orderID);
    await shipmentIn(app, body.id, { provider_status: 'picked' });
    const reply = await cancel(app, orderID, body.id);
    expect(reply.status).toBe(409);
    expect(reply.body.error.details).toMatchObject([{ code: 'shipment.status', value: 'picked' }]);
  });

  test('of another order, or another organization, it is a 404', async () => {
    const orderID = await orderToSend(app);
    const { body } = await ship(app, orderID);
    expect((await cancel(app, await orderToSend(app), body.id)).status).toBe(404);
    const { key } = await app.organization();
    const params = { orderID, shipmentID: body.id };
    for (const call of ['get', 'cancel'])
      expect((await app.call(`commerce.shipments.${call}`, { key, params })).status).toBe(404);
    for (const call of ['list', 'create'])
      expect((await app.call(`commerce.shipments.${call}`, { key, params: { orderID } })).status).toBe(404);
  });
});

const settle = (orderID: string, shipmentID: string, status: string, more: object = {}) =>
  app.call('commerce.shipments.settle', { params: { orderID, shipmentID }, body: { status }, ...more });

test('one that may have been ordered, for a customer who was erased, is settled by a person: nobody can be asked for it again', async () => {
  await connectShipper(app);
  const orderID = await orderToSend(app);
  const { body } = await ship(app, orderID);
  await storedShipments.change(app, body.id, {
    status: 'creating',
    shipper_order_id: null,
    provider_status: '',
    failure: { code: 'provider_failed', message: 'No answer' },
  });
  const early = await settle(orderID, body.id, 'cancelled');
  expect(early.body.error.details).toMatchObject([{ code: 'shipment.answerable' }]);
  await storedOrders.change(app, orderID, { customer_name: '', customer_phone: '', shipping_address: null });
  expect((await settle(orderID, body.id, 'cancelled')).body).toMatchObject({ status: 'cancelled', failure: null });
});

describe('whose connection is deleted', () => {
  async function sent() {
    const account = await connectShipper(app);
    const orderID = await orderToSend(app);
    const { body } = await ship(app, orderID, { ...jne, connection_id: account.id });
    expect(body.status).toBe('confirmed');
    const remove = async () =>
      expect((await app.call('connections.delete', { params: { connectionID: account.id } })).status).toBe(204);
    return { orderID, id: body.id as string, remove };
  }

  test.each([
    ['cancelled', { status: 'processing', fulfillment_status: 'failed', attention: [] }],
    ['delivered', { status: 'completed', fulfillment_status: 'delivered', attention: [] }],
    ['returned', { status: 'shipped', fulfillment_status: 'returned', attention: ['shipment_failed'] }],
  ])('a person who looked at the shipper says that it was %s', async (status, order) => {
    const { orderID, id, remove } = await sent();
    expect((await settle(orderID, id, status)).body.error).toMatchObject({
      code: 'conflict',
      details: [{ code: 'shipment.answerable', value: 'confirmed' }],
    });
    await remove();
    await waitFor('a person to be asked', async () => (await orderRow(app, orderID)).attention.length > 0);
    expect(await shipmentRow(app, id)).toMatchObject({ status: 'confirmed', failure: { code: 'connection_deleted' } });
    expect((await checkJobs(app.web.deps.database)).filter(({ id: subject }) => subject === orderID)).toEqual([]);
    expect((await settle(orderID, id, 'failed')).status).toBe(422);
    expect((await settle(await orderToSend(app), id, status)).status).toBe(404);
    expect((await settle(orderID, id, status, { key: (await app.organization()).key })).status).toBe(404);
    const { status: code, body } = await settle(orderID, id, status);
    expect([code, body]).toMatchObject([200, { id, status, failure: null }]);
    expect(await orderRow(app, orderID)).toMatchObject(order);
    const { revision } = await orderRow(app, orderID);
    expect((await settle(orderID, id, status)).status).toBe(200);
    const otherwise = await settle(orderID, id, status === 'cancelled' ? 'delivered' : 'cancelled');
    expect(otherwise.body.error).toMatchObject({ code: 'conflict', details: [{ value: status }] });
    expect((await orderRow(app, orderID)).revision).toBe(revision);
    expect((await shipmentEvents(app, orderID)).at(-1)).toBe(`${status} confirmed`);
    const { body: timeline } = await app.call('commerce.orders.timeline', { params: { orderID } });
    expect(timeline.items[0]).toMatchObject({ actor: `key:${app.tenant.keyId}` });
  });

  test('what came back, though nobody heard that it was sent, is put back into stock, and settled with it', async () => {
    const { orderID, id, remove } = await sent();
    await remove();
    await settle(orderID, id, 'returned');
    const { status, body } = await app.call('commerce.orders.restock', { params: { orderID }, body: {} });
    expect([status, body.status, body.attention]).toEqual([200, 'shipped', []]);
  });

  test('of an order that is cancelled instead, nothing is left to look at', async () => {
    const { orderID, id, remove } = await sent();
    await remove();
    await storedShipments.change(app, id, { status: 'failed' });
    await storedOrders.change(app, orderID, { attention: ['shipment_failed'] });
    const { body } = await app.call('commerce.orders.cancel', { params: { orderID }, body: {} });
    expect([body.status, body.attention]).toEqual(['cancelled', []]);
  });

  test('one that may have been ordered or not: nothing is ordered beside it until a person has looked', async () => {
    const { orderID, id, remove } = await sent();
    await storedShipments.change(app, id, {
      status: 'cancelling',
      shipper_order_id: null,
      provider_status: '',
      failure: { code: 'provider_failed', message: 'No answer' },
    });
    await storedOrders.change(app, orderID, { attention: ['shipment_failed'] });
    await remove();
    expect((await ship(app, orderID)).status).toBe(409);
    expect((await settle(orderID, id, 'cancelled')).body).toMatchObject({ status: 'cancelled', failure: null });
    expect((await orderRow(app, orderID)).attention).toEqual([]);
    expect((await ship(app, orderID)).status).toBe(201);
  });
});
