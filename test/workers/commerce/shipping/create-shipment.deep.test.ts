import { beforeAll, expect, test } from '@jest/globals';
import { createShipmentJob } from '../../../../src/commerce/shipping/jobs.ts';
import { checkJobs } from '../../../../src/platform/ledger/check.ts';
import { retryJob } from '../../../../src/platform/ledger/retry.ts';
import { useApp } from '../../../support/app.ts';
import {
  cancel,
  connectShipper,
  fault,
  jne,
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
import { connectionRows } from '../../../support/work/connections.ts';
import { heldUntil, holdForever, jobRows, makeDue, poolRows, releasePool } from '../../../support/work/jobs.ts';

const app = useApp({ workers: true });
let shipper: ShipperAccount;
beforeAll(async () => {
  shipper = await connectShipper(app);
});

const hurry = (orderId: string) =>
  makeDue(app, { subject_id: orderId, name: { $ne: 'commerce.check-shipment' }, state: 'queued' });

test.each([
  ['before the shipper acted', 'drop_before'],
  ['after the shipper acted', 'drop_after'],
])('an answer that was lost %s leaves one shipment', async (_when, kind) => {
  const orderID = await orderToSend(app);
  await fault(app, kind, '/v1/orders', { times: 2 });
  const { body } = await ship(app, orderID);
  const row = await shipmentIn(app, body.id, { status: 'confirmed' });
  const made = await there(app, body.id);
  expect(made.map(({ id }) => id)).toEqual([row.shipper_order_id]);
  expect(await shipmentEvents(app, orderID)).toEqual(['creating', 'confirmed confirmed']);
});

test('faults of every kind, one after the other, leave one shipment an order', async () => {
  const kinds = ['drop_after', 'drop_before', 'status', 'drop_after', 'status', 'drop_before'];
  const orders = await Promise.all(kinds.map(() => orderToSend(app)));
  for (const kind of kinds) await fault(app, kind, '/v1/orders', { match: { method: 'POST' }, status: 503 });
  const replies = await Promise.all(orders.map((id) => ship(app, id, jne, false)));
  const ids = replies.map(({ body }) => body.id as string);
  await Promise.all(ids.map((id) => shipmentIn(app, id, { status: 'confirmed' })));
  for (const id of ids) expect(await there(app, id)).toHaveLength(1);
  await app.idle();
  expect((await checkJobs(app.web.deps.database)).filter(({ detail }) => detail.includes('commerce'))).toEqual([]);
});

test('the claim is committed before the call, and a second run of the same job adopts what the first made', async () => {
  const orderID = await orderToSend(app);
  await fault(app, 'drop_after', '/v1/orders');
  const { body } = await ship(app, orderID, jne, false);
  const claimed = await waitFor('the claim', async () => {
    const row = await shipmentRow(app, body.id);
    return row.asked_at !== null && row;
  });
  expect(claimed.asked_at).not.toBeNull();
  await shipmentIn(app, body.id, { status: 'confirmed' });
  const requests = (await app.control('GET', '/requests?method=POST&path=/shipper/v1/orders')).requests;
  const ours = requests.filter(({ body: sent }: { body: { reference_id: string } }) => sent.reference_id === body.id);
  expect(ours.length).toBe(2);
});

test('an outcome that stays unknown keeps its place: no second shipment, until it is tried again by hand', async () => {
  const orderID = await orderToSend(app);
  const hold = (until: string | null) => poolRows.change(app, `connection:${shipper.id}`, { held_until: until });
  await fault(app, 'drop_after', '/v1/orders');
  await hold('infinity');
  const { body, headers } = await ship(app, orderID, jne, false);
  const operation = headers.get('operation-id')!;
  await jobRows.change(app, operation, { attempts: 7 });
  await hold(null);
  await waitFor('the last try', async () => {
    await hurry(orderID);
    return (await jobRows.one(app, operation)).state === 'failed';
  });
  expect(await shipmentRow(app, body.id)).toMatchObject({
    status: 'creating',
    confirm_status: 'failed',
    failure: { code: 'provider_failed' },
  });
  expect(await orderRow(app, orderID)).toMatchObject({ attention: ['shipment_failed'], fulfillment_status: 'unfulfilled' });
  expect((await ship(app, orderID)).status).toBe(409);
  await retryJob(app.web.deps.ledger.transact, operation, app.tenant.organizationId);
  await shipmentIn(app, body.id, { status: 'confirmed' });
  expect(await there(app, body.id)).toHaveLength(1);
  expect(await orderRow(app, orderID)).toMatchObject({ attention: [], fulfillment_status: 'requested' });
});

test.each([
  ['a lost answer before it', 'drop_before', { status: 'creating', failure: { code: 'provider_failed' } }, 409],
  ['an answer that nothing was made', 'status', { status: 'failed', failure: { code: 'provider_refused' } }, 201],
])('refused after %s: another parcel only when there is none', async (_what, kind, left, status) => {
  const orderID = await orderToSend(app);
  const match = { method: 'POST' };
  await fault(app, kind, '/v1/orders', { match, status: 429 });
  await fault(app, 'status', '/v1/orders', { match, status: 400 });
  const { body } = await ship(app, orderID, jne, false);
  await waitFor('the refusal', async () => {
    await hurry(orderID);
    return (await shipmentRow(app, body.id)).failure !== null;
  });
  expect(await shipmentRow(app, body.id)).toMatchObject(left);
  expect(await orderRow(app, orderID)).toMatchObject({ attention: ['shipment_failed'] });
  expect((await ship(app, orderID, jne, false)).status).toBe(status);
});

test('a refused key holds the pool, the work keeps its place, and goes on with a good one', async () => {
  const tenant = await app.organization();
  const account = await connectShipper(app, { tenant });
  const orderID = await orderToSend(app, {}, { tenant });
  const params = { orderID };
  await app.control('POST', '/shipper-accounts', { api_key: account.apiKey, is_revoked: true });
  const { body } = await app.call('commerce.shipments.create', { key: tenant.key, params, body: jne });
  await waitFor('the hold', async () => (await heldUntil(app, `connection:${account.id}`)) === 'infinity');
  expect(await connectionRows.one(app, account.id, ['status'])).toEqual({ status: 'auth_error' });
  expect(await shipmentRow(app, body.id)).toMatchObject({ status: 'creating', failure: null });
  expect((await jobRows.one(app, { subject_id: orderID, name: createShipmentJob.name })).attempts).toBe(0);
  await app.control('POST', '/shipper-accounts', { api_key: account.apiKey, is_revoked: false });
  await connectionRows.change(app, account.id, { status: 'connected' });
  await releasePool(app, `connection:${account.id}`);
  await shipmentIn(app, body.id, { status: 'confirmed' });
  expect(await there(app, body.id)).toHaveLength(1);
});

test('one that is called back before the shipper was asked never gets there', async () => {
  const tenant = await app.organization();
  const account = await connectShipper(app, { tenant });
  await holdForever(app, `connection:${account.id}`);
  const orderID = await orderToSend(app, {}, { tenant });
  const { body } = await app.call('commerce.shipments.create', { key: tenant.key, params: { orderID }, body: jne });
  const params = { orderID, shipmentID: body.id };
  const reply = await app.call('commerce.shipments.cancel', { key: tenant.key, params });
  expect([reply.status, reply.body.status, reply.headers.get('operation-id')]).toEqual([200, 'cancelled', null]);
  await releasePool(app, `connection:${account.id}`);
  await app.idle();
  expect(await there(app, body.id)).toEqual([]);
  expect(await shipmentRow(app, body.id)).toMatchObject({ status: 'cancelled', asked_at: null });
});

test('one that is called back while its answer is lost is found by its reference and cancelled there', async () => {
  const orderID = await orderToSend(app);
  await fault(app, 'drop_after', '/v1/orders');
  const { body } = await ship(app, orderID, jne, false);
  await waitFor('the claim', async () => (await shipmentRow(app, body.id)).asked_at !== null);
  const reply = await cancel(app, orderID, body.id, false);
  expect(reply.status).toBe(200);
  await shipmentIn(app, body.id, { status: 'cancelled' });
  expect(await there(app, body.id)).toMatchObject([{ status: 'cancelled' }]);
  expect(await orderRow(app, orderID)).toMatchObject({ attention: [] });
});
