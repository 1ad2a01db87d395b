import { beforeEach, expect, test } from '@jest/globals';
import { type Tenant, useApp } from '../../support/app.ts';
import { at, book, bookable, bookingOf, orderFor, shiftBooking } from '../../support/bookings.ts';
import { storedEvents } from '../../support/stored/api-events.ts';
import { storedBookings, storedOrders } from '../../support/stored/commerce.ts';

const app = useApp();
let own: Tenant;
beforeEach(async () => {
  own = await app.organization();
});

const patch = (orderID: string, body: object) =>
  app.call('commerce.orders.booking.update', { key: own.key, params: { orderID }, body });
const does = (name: string, orderID: string) =>
  app.call(`commerce.orders.booking.${name}`, { key: own.key, params: { orderID } });
const eventsOf = (orderId: string) =>
  storedEvents.all(app, { subject_id: orderId, type: 'commerce.booking.updated' }, { columns: ['data'], orderBy: 'id' });
const setStatus = (orderId: string, status: string) => storedOrders.change(app, orderId, { status });

async function booked(status = 'confirmed', options = {}) {
  const { serviceId, staffIds } = await bookable(app, own, options);
  const orderId = await orderFor(app, own, { status });
  const reply = await book(app, own, orderId, { service_id: serviceId, starts_at: at(3) });
  expect(reply.status).toBe(201);
  return { serviceId, staffIds, orderId, reply };
}

test('a pending order holds the time, a confirmed one has it', async () => {
  const held = await booked('pending');
  expect(held.reply.headers.get('location')).toBe(`/v1/commerce/orders/${held.orderId}`);
  expect(bookingOf(held.reply.body)).toMatchObject({
    has_scheduled_booking: true,
    status: 'held',
    service_id: held.serviceId,
    staff_id: held.staffIds[0],
    staff_name: 'Person 0',
    starts_at: at(3),
    ends_at: at(3, '11:00'),
    timezone: 'UTC',
    booking_mode: 'in_person',
    booking_schedule_source: 'api',
  });
  const [event] = await eventsOf(held.orderId);
  expect(event!.data).toMatchObject({ order_id: held.orderId, status: 'held', starts_at: at(3), staff_id: held.staffIds[0] });
  const confirmed = await booked('confirmed');
  expect(bookingOf(confirmed.reply.body)).toMatchObject({ status: 'confirmed', calendar_sync_status: 'skipped' });
});

test('what another order holds is taken', async () => {
  const { serviceId, orderId } = await booked('pending');
  const other = await orderFor(app, own);
  for (const time of ['10:00', '09:30', '10:30']) {
    const refused = await book(app, own, other, { service_id: serviceId, starts_at: at(3, time) });
    expect([refused.status, refused.body.error.code]).toEqual([409, 'slot_taken']);
  }
  expect((await does('cancel', orderId)).status).toBe(200);
  expect((await book(app, own, other, { service_id: serviceId, starts_at: at(3) })).status).toBe(201);
});

test('buffers keep the time around a booking', async () => {
  const { serviceId } = await booked('confirmed', { service: { duration_minutes: 60, buffer_after: 30 } });
  const other = await orderFor(app, own);
  expect((await book(app, own, other, { service_id: serviceId, starts_at: at(3, '11:00') })).status).toBe(409);
  expect((await book(app, own, other, { service_id: serviceId, starts_at: at(3, '11:30') })).status).toBe(201);
});

test('without staff_id whoever is free has it, in the order of the service', async () => {
  const { serviceId, staffIds } = await bookable(app, own, { people: 2 });
  const got = [];
  for (let index = 0; index < 3; index += 1) {
    const { body, status } = await book(app, own, await orderFor(app, own), { service_id: serviceId, starts_at: at(3) });
    got.push(status === 201 ? bookingOf(body).staff_id : body.error.code);
  }
  expect(got).toEqual([...staffIds, 'slot_taken']);
});

test('200 requests for one slot at once: one has it', async () => {
  const { serviceId } = await bookable(app, own);
  const orders = await Promise.all(Array.from({ length: 200 }, () => orderFor(app, own)));
  const replies = await Promise.all(orders.map((id) => book(app, own, id, { service_id: serviceId, starts_at: at(5) })));
  const by = (status: number) => replies.filter((reply) => reply.status === status);
  expect(by(201)).toHaveLength(1);
  expect(by(409).filter(({ body }) => body.error.code === 'slot_taken')).toHaveLength(199);
  const n = await storedBookings.count(app, { service_id: serviceId });
  expect(n).toBe(1);
}, 60_000);

test('a booking moves, and gives its old time back', async () => {
  const { orderId, serviceId } = await booked('confirmed');
  const moved = await patch(orderId, { starts_at: at(3, '10:30'), source: 'staff' });
  expect(bookingOf(moved.body)).toMatchObject({
    starts_at: at(3, '10:30'),
    ends_at: at(3, '11:30'),
    booking_schedule_source: 'staff',
  });
  expect((await eventsOf(orderId)).at(-1)!.data).toMatchObject({ changed: ['starts_at'], starts_at: at(3, '10:30') });
  const other = await orderFor(app, own, { status: 'confirmed' });
  expect((await book(app, own, other, { service_id: serviceId, starts_at: at(3, '09:30') })).status).toBe(201);
  const refused = await patch(orderId, { starts_at: at(3, '10:00') });
  expect([refused.status, refused.body.error.code]).toEqual([409, 'slot_taken']);
  const count = (await eventsOf(orderId)).length;
  expect((await patch(orderId, { starts_at: at(3, '10:30') })).status).toBe(200);
  expect(await eventsOf(orderId)).toHaveLength(count);
});

test('who has it keeps it, unless somebody else is asked for', async () => {
  const { orderId, staffIds, serviceId } = await booked('confirmed', { people: 2 });
  const [first, second] = staffIds as [string, string];
  const other = await orderFor(app, own);
  await book(app, own, other, { service_id: serviceId, staff_id: first, starts_at: at(3, '14:00') });
  expect((await patch(orderId, { starts_at: at(3, '14:00') })).body.error.code).toBe('slot_taken');
  expect(bookingOf((await patch(orderId, { starts_at: at(3, '14:00'), staff_id: null })).body).staff_id).toBe(second);
  expect(bookingOf((await patch(orderId, { starts_at: at(3, '16:00'), staff_id: first })).body).staff_id).toBe(first);
});

test('how it is held changes without a new time', async () => {
  const { orderId } = await booked('confirmed');
  const link = 'https://meet.example/room';
  const { body } = await patch(orderId, { mode: 'video', timezone: 'Asia/Jakarta', video_conference_override: link });
  expect(bookingOf(body)).toMatchObject({
    booking_mode: 'video',
    timezone: 'Asia/Jakarta',
    video_conference_override: link,
    starts_at: at(3),
  });
});

test('a cancelled one can be booked anew; the order has one booking', async () => {
  const { orderId, serviceId } = await booked('confirmed');
  expect((await book(app, own, orderId, { service_id: serviceId, starts_at: at(4) })).status).toBe(409);
  expect(bookingOf((await does('cancel', orderId)).body)).toMatchObject({ has_scheduled_booking: false, status: 'cancelled' });
  expect((await does('cancel', orderId)).status).toBe(200);
  expect((await patch(orderId, { starts_at: at(4) })).status).toBe(409);
  const again = await book(app, own, orderId, { service_id: serviceId, starts_at: at(4) });
  expect(bookingOf(again.body)).toMatchObject({ has_scheduled_booking: true, status: 'confirmed', starts_at: at(4) });
  const moves = (await eventsOf(orderId)).filter(({ data }) => data.changed.includes('status'));
  expect(moves.map(({ data }) => data.status)).toEqual(['confirmed', 'cancelled', 'confirmed']);
});

test('an order without a booking, or one that has ended, is refused', async () => {
  const { serviceId } = await bookable(app, own);
  const orderId = await orderFor(app, own);
  for (const reply of [await patch(orderId, { mode: 'phone' }), await does('cancel', orderId), await does('no-show', orderId)])
    expect([reply.status, reply.body.error.code]).toEqual([422, 'booking_required']);
  for (const status of ['completed', 'cancelled']) {
    await setStatus(orderId, status);
    const refused = await book(app, own, orderId, { service_id: serviceId, starts_at: at(3) });
    const { error } = refused.body;
    expect([refused.status, error.code]).toEqual([409, 'conflict']);
    expect(error.details).toEqual([{ code: 'status.move', message: error.message, value: status }]);
  }
});

const unknown = '01932d5f-3a0e-7cc4-8f4e-0242ac120099';

test.each([
  ['the past', () => ({ starts_at: at(-1) }), 'starts_at'],
  ['beyond the horizon', () => ({ starts_at: at(61) }), 'starts_at'],
  ['outside the hours', () => ({ starts_at: at(3, '18:00') }), 'starts_at'],
  ['an end outside the hours', () => ({ starts_at: at(3, '16:30') }), 'starts_at'],
  ['off the step', () => ({ starts_at: at(3, '10:10') }), 'starts_at'],
  ['29 February of no leap year', () => ({ starts_at: '2027-02-29T10:00:00Z' }), 'starts_at'],
  ['no zone in the time', () => ({ starts_at: at(3).slice(0, -1) }), 'starts_at'],
  ['a zone that is none', () => ({ timezone: 'Mars/Base' }), 'timezone'],
  ['a staff member who does not do it', () => ({ staff_id: unknown }), 'staff_id'],
  ['a service that is none', () => ({ service_id: unknown }), 'service_id'],
  ['a mode that is none', () => ({ mode: 'letter' }), 'mode'],
  ['a link that is no https', () => ({ video_conference_override: 'http://meet.example' }), 'video_conference_override'],
  ['a link with a password', () => ({ video_conference_override: 'https://a:b@meet.example' }), 'video_conference_override'],
])('%s is a 422 at its field, and nothing changed', async (_name, change, field) => {
  const { orderId } = await booked('confirmed');
  const { serviceId } = await bookable(app, own);
  const other = await orderFor(app, own);
  const before = await app.counts();
  const made = await book(app, own, other, { service_id: serviceId, starts_at: at(3), ...change() });
  expect([made.status, made.body.error.details[0].field]).toEqual([422, field]);
  const moved = await patch(orderId, change());
  expect([moved.status, moved.body.error.details[0].field]).toEqual([422, field]);
  expect(await app.counts()).toEqual(before);
});

test('a lead time is kept', async () => {
  const { serviceId } = await bookable(app, own, { service: { lead_minutes: 5 * 1_440 } });
  const refused = await book(app, own, await orderFor(app, own), { service_id: serviceId, starts_at: at(3) });
  expect(refused.body.error.details[0]).toMatchObject({ field: 'starts_at', code: 'booking.lead' });
});

test('the order and the service of another organization are missing', async () => {
  const other = await app.organization();
  const { serviceId } = await bookable(app, other);
  const mine = await orderFor(app, own);
  const foreign = await orderFor(app, other);
  expect((await book(app, own, mine, { service_id: serviceId, starts_at: at(3) })).body.error.details[0].field).toBe(
    'service_id',
  );
  const { serviceId: ownService } = await bookable(app, own);
  expect((await book(app, own, foreign, { service_id: ownService, starts_at: at(3) })).status).toBe(404);
});

test('no-show: once it has begun, and again the same', async () => {
  const { orderId } = await booked('confirmed');
  expect((await does('no-show', orderId)).status).toBe(409);
  await shiftBooking(app, orderId, '-10 minutes');
  expect(bookingOf((await does('no-show', orderId)).body).status).toBe('no_show');
  const count = (await eventsOf(orderId)).length;
  expect(bookingOf((await does('no-show', orderId)).body).status).toBe('no_show');
  expect(await eventsOf(orderId)).toHaveLength(count);
  expect((await does('cancel', orderId)).status).toBe(409);
});
