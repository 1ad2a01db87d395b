import { beforeEach, expect, test } from '@jest/globals';
import { sha256 } from '../../../src/platform/secrets.ts';
import { type Body, type Tenant, useApp } from '../../support/app.ts';
import { at, book, bookable, bookingOf, orderFor, shiftBooking } from '../../support/bookings.ts';
import { contact } from '../../support/factories/contact.ts';
import { storedEvents } from '../../support/stored/api-events.ts';
import { storedBookings } from '../../support/stored/commerce.ts';

const app = useApp();
let own: Tenant;
beforeEach(async () => {
  own = await app.organization();
});

const does = (name: string, orderID: string) =>
  app.call(`commerce.orders.booking.${name}`, { key: own.key, params: { orderID } });
const checkIn = (token: string, key = own.key) => app.call('commerce.bookings.check-in', { key, body: { token } });
const list = async (query: Record<string, string> = {}) =>
  (await app.call('commerce.bookings.list', { key: own.key, query })).body;
const ordersIn = ({ items }: Body) => items.map(({ order_id }: Body) => order_id);

async function withToken(status = 'confirmed') {
  const { serviceId } = await bookable(app, own);
  const orderId = await orderFor(app, own, { status });
  await book(app, own, orderId, { service_id: serviceId, starts_at: at(3) });
  const { body } = await does('checkin-token', orderId);
  return { orderId, token: body.checkin_token as string };
}

test('the token checks the customer in, and again at the same time', async () => {
  const { orderId, token } = await withToken();
  await shiftBooking(app, orderId, '2 hours');
  const first = await checkIn(token);
  expect(first.status).toBe(200);
  expect(bookingOf(first.body)).toMatchObject({ status: 'checked_in', checked_in_at: expect.any(String) });
  const again = await checkIn(token);
  expect(bookingOf(again.body).checked_in_at).toBe(bookingOf(first.body).checked_in_at);
  const events = await storedEvents.all(app, { subject_id: orderId, type: 'commerce.booking.updated' });
  expect(events.filter(({ data }) => data.status === 'checked_in')).toHaveLength(1);
});

test('only the hash of the token is kept, and a new one takes the place of the old', async () => {
  const { orderId, token } = await withToken();
  await shiftBooking(app, orderId, '2 hours');
  const row = await storedBookings.one(app, { order_id: orderId });
  expect(row.checkin_token_hash).toBe(sha256(token).toString('hex'));
  expect(JSON.stringify(row)).not.toContain(token);
  const { body } = await does('checkin-token', orderId);
  expect((await checkIn(token)).status).toBe(404);
  expect((await checkIn(body.checkin_token)).status).toBe(200);
});

test('more than 24 hours early, cancelled or only held is a 409; unknown or foreign a 404', async () => {
  const early = await withToken();
  const refused = await checkIn(early.token);
  expect([refused.status, refused.body.error.details[0].code]).toEqual([409, 'booking.early']);
  await does('cancel', early.orderId);
  expect((await checkIn(early.token)).status).toBe(409);
  const held = await withToken('pending');
  await shiftBooking(app, held.orderId, '1 hour');
  expect((await checkIn(held.token)).status).toBe(409);
  const due = await withToken();
  await shiftBooking(app, due.orderId, '1 hour');
  expect((await checkIn('ci_unknown')).status).toBe(404);
  expect((await checkIn(due.token, (await app.organization()).key)).status).toBe(404);
  expect((await checkIn(due.token)).status).toBe(200);
});

test('a booking that took place needs no token', async () => {
  const { orderId, token } = await withToken();
  await shiftBooking(app, orderId, '1 hour');
  await checkIn(token);
  expect((await does('checkin-token', orderId)).status).toBe(409);
});

test('the list: the latest start first, by pages, and by each filter', async () => {
  const { serviceId, staffIds } = await bookable(app, own, { people: 2 });
  const [first, second] = staffIds as [string, string];
  const orders: string[] = [];
  for (const [days, staff_id] of [
    [2, first],
    [3, second],
    [4, first],
  ] as const) {
    const orderId = await orderFor(app, own, { status: days === 3 ? 'pending' : 'confirmed' });
    await book(app, own, orderId, { service_id: serviceId, staff_id, starts_at: at(days) });
    orders.push(orderId);
  }
  const [a, b, c] = orders as [string, string, string];
  const all = await list();
  expect(ordersIn(all)).toEqual([c, b, a]);
  expect(all.items[1]).toMatchObject({ status: 'held', starts_at: at(3), staff_id: second, calendar_sync_status: '' });
  expect(all.items[0].calendar_sync_status).toBe('skipped');
  const page = await list({ limit: '2' });
  expect(ordersIn(page)).toEqual([c, b]);
  expect(ordersIn(await list({ limit: '2', cursor: page.meta.next_cursor }))).toEqual([a]);
  expect(ordersIn(await list({ staff_id: first }))).toEqual([c, a]);
  expect(ordersIn(await list({ service_id: serviceId, status: 'held' }))).toEqual([b]);
  expect(ordersIn(await list({ since: at(3), until: at(4) }))).toEqual([b]);
  expect((await list({ include_total: 'true' })).meta.total).toBe(3);
});

test('the list by contact', async () => {
  const phone = app.phone();
  const { id: contactId } = await contact(app.em(), own.organizationId, { phone: `+${phone}`, userId: `US.${phone}` });
  const { serviceId } = await bookable(app, own);
  const orderId = await orderFor(app, own, { contactId });
  await book(app, own, orderId, { service_id: serviceId, starts_at: at(2) });
  await book(app, own, await orderFor(app, own), { service_id: serviceId, starts_at: at(3) });
  expect(ordersIn(await list({ contact_id: contactId }))).toEqual([orderId]);
});
