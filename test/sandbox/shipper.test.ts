import { expect, test } from '@jest/globals';
import { useHouse } from './house.ts';

const house = useHouse();
const key = 'biteship_test.one';
const cilandak = 'IDNP11IDNC100IDND800IDZ12430';
const menteng = 'IDNP11IDNC102IDND802IDZ10310';
const items = [{ name: 'Tea', value: 50_000, quantity: 2, weight: 600 }];
const order = {
  origin_contact_name: 'Store',
  origin_contact_phone: '+62811',
  origin_address: 'Jl. 1',
  origin_area_id: cilandak,
  destination_contact_name: 'Siti',
  destination_contact_phone: '+62812',
  destination_address: 'Jl. 2',
  destination_area_id: menteng,
  courier_company: 'jne',
  courier_type: 'reg',
  delivery_type: 'now',
  items,
};

const ask = (method: string, path: string, body?: object, given = key) =>
  house.ask(method, `/shipper/v1${path}`, body, { authorization: given });
const hear = () =>
  house.control('shipper-accounts', {
    api_key: key,
    webhook: { url: house.receiver.url, header: 'x-webhook-secret', secret: 's3cret' },
  });

test('a key of no account, and one that was revoked, is refused', async () => {
  expect(await ask('GET', '/orders/x', undefined, 'other')).toMatchObject({
    status: 401,
    body: { success: false, error: 'Authorization failed', code: 40_100_001 },
  });
  expect((await ask('GET', '/maps/areas?countries=ID&input=menteng', undefined, `Bearer ${key}`)).status).toBe(200);
  await house.control('shipper-accounts', { api_key: key, is_revoked: true });
  expect((await ask('GET', '/maps/areas?countries=ID&input=menteng')).status).toBe(401);
});

test('areas are found by parts of their names; a country and two letters are needed', async () => {
  const { body } = await ask('GET', '/maps/areas?countries=ID&input=jakarta%20sel&type=single');
  expect(body.areas.map(({ id }: { id: string }) => id)).toContain(cilandak);
  expect(body.areas).toHaveLength(2);
  expect((await ask('GET', '/maps/areas?input=jakarta')).status).toBe(400);
  expect((await ask('GET', '/maps/areas?countries=ID&input=j')).status).toBe(400);
});

test('rates of the couriers that were asked for, by weight and way', async () => {
  const asked = { origin_area_id: cilandak, destination_area_id: menteng, couriers: 'jne,gojek', items };
  const { body } = await ask('POST', '/rates/couriers', asked);
  expect(body.pricing.map(({ courier_code, type }: Record<string, string>) => `${courier_code} ${type}`)).toEqual([
    'jne reg',
    'jne yes',
    'gojek instant',
  ]);
  const heavier = await ask('POST', '/rates/couriers', { ...asked, items: [{ ...items[0], weight: 6_000 }] });
  expect(heavier.body.pricing[0].price).toBeGreaterThan(body.pricing[0].price);
  for (const change of [{ destination_area_id: 'x' }, { couriers: '' }, { items: [] }, { couriers: 'nobody' }])
    expect((await ask('POST', '/rates/couriers', { ...asked, ...change })).body).toMatchObject({ success: false });
});

test('an order misses nothing, and its reference is good for one', async () => {
  for (const field of [
    'delivery_type',
    'origin_contact_name',
    'destination_address',
    'destination_area_id',
    'items',
    'courier_type',
  ]) {
    const { status, body } = await ask('POST', '/orders', { ...order, [field]: undefined });
    expect([status, body.success]).toEqual([400, false]);
  }
  const first = await ask('POST', '/orders', { ...order, reference_id: 'ref-1' });
  expect(first.body).toMatchObject({
    success: true,
    object: 'order',
    reference_id: 'ref-1',
    status: 'confirmed',
    currency: 'IDR',
  });
  const second = await ask('POST', '/orders', { ...order, reference_id: 'ref-1' });
  expect(second.status).toBe(400);
  expect(second.body.details).toEqual({
    order_id: first.body.id,
    waybill_id: first.body.courier.waybill_id,
    reference_id: 'ref-1',
  });
  expect((await ask('POST', '/orders', { ...order, reference_id: 'ref-1' }, 'biteship_test.two')).status).toBe(200);
  expect((await ask('GET', `/orders/${first.body.id}`, undefined, 'biteship_test.two')).status).toBe(404);
  expect((await ask('GET', `/trackings/${first.body.courier.tracking_id}`)).body).toMatchObject({ status: 'confirmed' });
});

test('an answer that is dropped after the order was made leaves the order', async () => {
  await house.control('faults', { kind: 'drop_after', match: { path: '/shipper/v1/orders' } });
  await expect(ask('POST', '/orders', { ...order, reference_id: 'ref-2' })).rejects.toThrow();
  expect((await ask('POST', '/orders', { ...order, reference_id: 'ref-2' })).body.details).toMatchObject({
    reference_id: 'ref-2',
  });
});

test('a draft order is confirmed into an order', async () => {
  const draft = await ask('POST', '/draft_orders', order);
  const { body } = await ask('POST', `/draft_orders/${draft.body.id}/confirm`, {});
  expect(body).toMatchObject({ object: 'order', draft_order_id: draft.body.id });
});

test('is cancelled in its first four states, with a reason', async () => {
  const { body } = await ask('POST', '/orders', order);
  expect((await ask('POST', `/orders/${body.id}/cancel`, {})).status).toBe(400);
  const reason = { cancellation_reason_code: 'others', cancellation_reason: 'why' };
  expect((await ask('POST', `/orders/${body.id}/cancel`, reason)).body.status).toBe('cancelled');
  expect((await ask('POST', `/orders/${body.id}/cancel`, reason)).status).toBe(400);
  const other = await ask('POST', '/orders', order);
  await house.control(`shipments/${other.body.id}/status`, { status: 'picked' });
  expect((await ask('POST', `/orders/${other.body.id}/cancel`, reason)).status).toBe(400);
});

test('webhooks carry the secret, tell what changed, and come until they are taken', async () => {
  await hear();
  await house.control('behaviour', { shipper_price_change: 500, retry_first_ms: 5 });
  house.receiver.answers = [500, 500];
  const { body } = await ask('POST', '/orders', order);
  await house.settled();
  const seen = house.receiver.received.map(({ headers, raw }) => ({
    secret: headers['x-webhook-secret'],
    event: JSON.parse(String(raw)).event,
  }));
  expect(new Set(seen.map(({ secret }) => secret))).toEqual(new Set(['s3cret']));
  // Three events, two of them refused once.
  expect(seen).toHaveLength(5);
  expect(new Set(seen.map(({ event }) => event))).toEqual(new Set(['order.price', 'order.status', 'order.waybill_id']));
  expect((await ask('GET', `/orders/${body.id}`)).body.price).toBe(body.price);
});

test('a fault of a request drops or doubles its webhooks', async () => {
  await hear();
  await house.control('faults', { kind: 'duplicate_webhook', match: { path: '/shipper/v1/orders' } });
  await ask('POST', '/orders', order);
  await house.settled();
  expect(house.receiver.received).toHaveLength(4);
  await house.control('faults', { kind: 'drop_webhooks', match: { path: '/shipper/v1/orders' } });
  await ask('POST', '/orders', order);
  await house.settled();
  expect(house.receiver.received).toHaveLength(4);
});
