import { beforeAll, expect, test } from '@jest/globals';
import { useApp } from '../../support/app.ts';
import { bookingMade, calendarOf, cancelled, changed, serviceMade, staffMade } from '../../support/calendar.ts';
import { variant } from '../../support/factories/sold.ts';
import {
  askSession,
  atProvider,
  hasten,
  openSession,
  owingOrder,
  paymentAccount,
  sessionsOf,
  webhook,
} from '../../support/payments.ts';
import { readExposition } from '../../support/prometheus.ts';
import { connectShipper, courier, fault, hearShipper, orderToSend, ship, shipmentIn } from '../../support/shipping.ts';
import { holdPool, storedJobs } from '../../support/stored/api-jobs.ts';
import { storedConnectionWebhooks } from '../../support/stored/channels.ts';
import { waitFor } from '../../support/wait-for.ts';

const token = 'token-of-the-scraper';
const app = useApp({ env: { METRICS_TOKEN: token, HEALTH_PORT: '0' } });
let workerBase: string;

beforeAll(async () => {
  const { healthPort } = await app.startWorkers();
  workerBase = `http://127.0.0.1:${healthPort}`;
});

/** Of both processes together. */
async function counts(name: string, label: string): Promise<Record<string, number>> {
  const sums: Record<string, number> = {};
  for (const base of [app.base, workerBase]) {
    const reply = await fetch(`${base}/metrics`, { headers: { authorization: `Bearer ${token}` } });
    const own = readExposition(await reply.text()).samples.filter((one) => one.name === name);
    for (const { labels, value } of own) sums[labels[label]!] = (sums[labels[label]!] ?? 0) + value;
  }
  return sums;
}

const order = async () => {
  const { id } = await variant(app, { stock: 5 });
  const body = { customer_name: 'Sari', items: [{ variant_id: id, quantity: 1 }] };
  const reply = await app.call('commerce.orders.create', { body });
  expect([reply.status, reply.text]).toEqual([201, expect.any(String)]);
  return reply.body.id as string;
};
const moved = { create: 0, confirm: 0, process: 0, ship: 0, complete: 0, cancel: 0 };

test('moves of orders: one that is refused, and one that was made already, are none', async () => {
  expect(await counts('kanal_order_moves_total', 'move')).toEqual(moved);
  const [one, other] = [await order(), await order()];
  const cancel = (orderID: string) => app.call('commerce.orders.cancel', { params: { orderID }, body: {} });
  const confirm = (orderID: string) => app.call('commerce.orders.confirm', { params: { orderID }, body: {} });
  expect((await confirm(one)).status).toBe(200);
  expect([(await cancel(one)).status, (await cancel(one)).status, (await confirm(one)).status]).toEqual([200, 200, 409]);
  expect((await cancel(other)).status).toBe(200);
  expect(await counts('kanal_order_moves_total', 'move')).toEqual({ ...moved, create: 2, confirm: 1, cancel: 2 });
});

test('payment sessions by outcome; what is read again counts once, and an order that is paid is confirmed', async () => {
  await paymentAccount(app, 'stripe');
  const paid = await owingOrder(app);
  await atProvider(app, await openSession(app, paid), 'pay');
  await waitFor('the payment', async () => (await sessionsOf(app, paid))[0]?.status === 'completed');
  const late = await owingOrder(app);
  await atProvider(app, await openSession(app, late), 'expire');
  await waitFor('its end', async () => (await sessionsOf(app, late))[0]?.status === 'expired');
  await hasten(app);
  await waitFor('the looks', async () => (await storedJobs.count(app, { name: 'commerce.check-payment' })) === 0);
  const refused = await owingOrder(app);
  await app.control('POST', '/faults', { kind: 'status', match: { method: 'POST', path: '/v1/checkout/sessions' }, status: 400 });
  await askSession(app, refused);
  await waitFor('the refusal', async () => (await sessionsOf(app, refused))[0]?.status === 'failed');
  const none = { cancelled: 0, unknown: 0 };
  expect(await counts('kanal_payment_sessions_total', 'outcome')).toEqual({ ...none, completed: 1, expired: 1, failed: 1 });
  expect((await counts('kanal_order_moves_total', 'move')).confirm).toBe(2);
});

test('bookings brought to their calendar, and those that were refused there', async () => {
  const staff = await staffMade(app);
  const serviceId = await serviceMade(app);
  const [one, other] = [await bookingMade(app, staff, serviceId), await bookingMade(app, staff, serviceId)];
  const inState = (booked: typeof one, status: string) =>
    waitFor(status, async () => (await calendarOf(app, booked))?.status === status);
  await changed(app, one);
  await inState(one, 'synced');
  expect(await calendarOf(app, one)).toMatchObject({ pending_since: null });
  await app.control('POST', '/faults', {
    kind: 'status',
    match: { method: 'POST', path: '/calendar/v3/calendars/' },
    status: 400,
    reason: 'invalid',
  });
  await changed(app, other);
  await inState(other, 'failed');
  await cancelled(app, one);
  await inState(one, 'synced');
  expect(await counts('kanal_calendar_syncs_total', 'outcome')).toEqual({ synced: 2, skipped: 0, failed: 1 });
});

test('a booking is behind since the first wish that was not fulfilled', async () => {
  const staff = await staffMade(app);
  const booked = await bookingMade(app, staff, await serviceMade(app));
  await holdPool(app, `connection:${staff.connectionId}`);
  await changed(app, booked);
  const { pending_since: since } = await calendarOf(app, booked);
  expect(since).toEqual(expect.any(String));
  await changed(app, booked);
  expect(await calendarOf(app, booked)).toMatchObject({ wanted: 2, synced: 0, pending_since: since });
});

test('shipments by outcome; one the shipper refused was never confirmed', async () => {
  const shipper = await connectShipper(app);
  await hearShipper(app, shipper);
  const { body } = await ship(app, await orderToSend(app));
  await shipmentIn(app, body.id, { status: 'confirmed' });
  await courier(app, body.id, 'delivered');
  await shipmentIn(app, body.id, { status: 'delivered' });
  await fault(app, 'status', '/v1/orders', { match: { method: 'POST' }, status: 400 });
  const refused = await ship(app, await orderToSend(app), undefined, false);
  await shipmentIn(app, refused.body.id, { status: 'failed' });
  expect(await counts('kanal_shipments_total', 'outcome')).toEqual({
    confirmed: 1,
    delivered: 1,
    returned: 0,
    cancelled: 0,
    failed: 1,
  });
  expect(await counts('kanal_order_moves_total', 'move')).toMatchObject({ process: 2, ship: 1, complete: 1 });
});

test('webhooks of connections: what is about nothing of ours is counted as unknown', async () => {
  const account = await paymentAccount(app, 'stripe', { isTold: false });
  const { unknown: before } = await counts('kanal_connection_webhooks_total', 'outcome');
  const object = { object: 'checkout.session', id: 'cs_nobody' };
  const event = { id: 'evt_nobody', type: 'checkout.session.completed', data: { object } };
  for (const _again of [1, 2]) expect((await webhook(app, account, event)).status).toBe(200);
  await waitFor('its end', async () => {
    const [row] = await storedConnectionWebhooks.all(app, { connection_id: account.id }, { columns: ['status'] });
    return row?.status === 'unknown';
  });
  const { unknown } = await counts('kanal_connection_webhooks_total', 'outcome');
  expect(unknown).toBe(before! + 1);
});
