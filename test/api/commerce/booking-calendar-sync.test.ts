import { expect, test } from '@jest/globals';
import { useApp } from '../../support/app.ts';
import { bookingMade, calendarOf, changed, liveEventsOf, serviceMade, staffMade } from '../../support/calendar.ts';
import { bareOrder } from '../../support/factories/shop.ts';
import { holdPool, storedJobs } from '../../support/stored/api-jobs.ts';
import { storedConnections } from '../../support/stored/channels.ts';
import { storedBookingCalendars, storedOrders } from '../../support/stored/commerce.ts';

const app = useApp({ workers: true });
const id = 'commerce.orders.booking-calendar-sync';
const waiting = { prefer: 'wait=20' };

const sync = (orderID: string, headers: Record<string, string> = {}, key?: string) =>
  app.call(id, { params: { orderID }, headers, ...(key && { key }) });

const booked = async (staff = {}, status?: string) => {
  const one = await staffMade(app, staff);
  return { staff: one, ...(await bookingMade(app, one, await serviceMade(app, 'calendar'), status)) };
};

test('it makes the event, and who waits reads the order as it is then', async () => {
  const one = await booked();
  const reply = await sync(one.orderId, waiting);
  expect(reply.status).toBe(200);
  expect(reply.headers.get('operation-id')).toMatch(/^[0-9a-f-]{36}$/);
  const [event] = await liveEventsOf(app, one);
  const { booking } = reply.body.shipping_metadata;
  expect(booking).toMatchObject({
    calendar_sync_status: 'synced',
    calendar_event_id: event.id,
    calendar_event_url: event.htmlLink,
  });
  expect(booking.calendar_sync_error).toBeUndefined();
  expect(booking.video_meet_url).toBe(event.hangoutLink);
  expect(Date.parse(booking.calendar_last_synced_at)).not.toBeNaN();
});

test('it looks although nothing changed here: a deleted event is made again', async () => {
  const one = await booked();
  await sync(one.orderId, waiting);
  const [event] = await liveEventsOf(app, one);
  await app.control('POST', `/calendar/events/${event.id}/delete`, {});
  const reply = await sync(one.orderId, waiting);
  expect(reply.body.shipping_metadata.booking).toMatchObject({
    calendar_sync_status: 'synced',
    calendar_sync_error: 'event_recreated',
  });
  expect(await liveEventsOf(app, one)).toHaveLength(1);
});

test('asked again while it is under way it is the same operation', async () => {
  const one = await booked();
  await holdPool(app, `connection:${one.staff.connectionId}`);
  const replies = await Promise.all([sync(one.orderId), sync(one.orderId), sync(one.orderId)]);
  expect(new Set(replies.map(({ headers }) => headers.get('operation-id'))).size).toBe(1);
  expect(replies[0]!.body.shipping_metadata.booking.calendar_sync_status).toBe('pending');
  expect((await calendarOf(app, one)).wanted).toBe(3);
});

test('an order without a booking is a 422, one that is not there a 404, also for another organization', async () => {
  const { id: orderId } = await bareOrder(app, app.tenant.organizationId);
  const none = await sync(orderId);
  expect([none.status, none.body.error.code]).toEqual([422, 'booking_required']);
  expect((await sync(app.tenant.organizationId)).status).toBe(404);
  const one = await booked();
  const { key } = await app.organization();
  expect((await sync(one.orderId, {}, key)).status).toBe(404);
  expect(await storedBookingCalendars.count(app, { booking_id: one.bookingId })).toBe(0);
});

test('a staff member without a calendar: skipped, without an operation', async () => {
  const one = await booked({ calendar: false });
  const reply = await sync(one.orderId, waiting);
  expect(reply.status).toBe(200);
  expect(reply.headers.get('operation-id')).toBeNull();
  expect(reply.body.shipping_metadata.booking.calendar_sync_status).toBe('skipped');
  expect(await storedJobs.count(app, { subject_id: one.orderId })).toBe(0);
});

test('a time that is only held is in no calendar', async () => {
  const one = await booked({}, 'held');
  const reply = await sync(one.orderId, waiting);
  expect(reply.body.shipping_metadata.booking.calendar_sync_status).toBe('skipped');
  expect(await liveEventsOf(app, one)).toEqual([]);
});

test('a connection whose credentials are refused is a 409, and nothing is wished', async () => {
  const one = await booked();
  await changed(app, one);
  await app.idle();
  await storedConnections.change(app, one.staff.connectionId!, { status: 'auth_error' });
  const reply = await sync(one.orderId, waiting);
  expect([reply.status, reply.body.error.code]).toEqual([409, 'connection_unavailable']);
  expect(await calendarOf(app, one)).toMatchObject({ status: 'synced', wanted: 1 });
});

test('a refusal of the calendar is a 422 for who waits, and stands in the order', async () => {
  const one = await booked();
  const match = { method: 'POST', path: '/calendar/v3/calendars/' };
  await app.control('POST', '/faults', { match, kind: 'status', status: 403, reason: 'forbiddenForNonOrganizer' });
  const reply = await sync(one.orderId, waiting);
  expect([reply.status, reply.body.error.code]).toEqual([422, 'provider_refused']);
  const order = await storedOrders.one(app, one.orderId, ['attention']);
  expect(order.attention).toEqual(['calendar_failed']);
  expect((await sync(one.orderId, waiting)).body.attention).toEqual([]);
});

test('an Idempotency-Key answers twice with one operation', async () => {
  const one = await booked();
  const headers = { 'idempotency-key': 'sync-once', ...waiting };
  const [first, second] = [await sync(one.orderId, headers), await sync(one.orderId, headers)];
  expect(second.headers.get('operation-id')).toBe(first.headers.get('operation-id'));
  expect((await calendarOf(app, one)).wanted).toBe(1);
});
