import Joi from 'joi';
import { exampleCheckinToken, makeCheckinToken, missBooking } from '../../src/commerce/bookings/attendance.ts';
import type { BookingSource } from '../../src/commerce/bookings/booking.entity.ts';
import { type BookingPatch, cancelBooking, changeBooking, makeBooking } from '../../src/commerce/bookings/change.ts';
import type { GivenBooking } from '../../src/commerce/bookings/of-order.ts';
import { orderLock } from '../../src/commerce/orders/order-row.ts';
import { changeOrder } from '../../src/commerce/orders/order-tx.ts';
import { actorOf } from '../../src/organizations/caller.ts';
import { exampleIdOf } from '../../src/platform/examples.ts';
import { endpoint, ok } from '../http/endpoint.ts';
import { id } from '../http/schemas.ts';
import { view } from '../http/view.ts';
import { bookingFields, bookingSource } from './booking-schemas.ts';
import { changeOneOrder, orderView, revision } from './order-view.ts';
import { tag } from './service-schemas.ts';

const about = { tag, subject: 'Order' };
const path = '/v1/commerce/orders/:orderID/booking';

type Said = { source: BookingSource; revision?: number };

export const createBookingOfOrder = endpoint({
  ...about,
  method: 'post',
  path,
  operationId: 'commerce.orders.booking.create',
  scope: 'commerce:write',
  summary: 'Book a time for an order',
  description:
    'A pending order holds the time until it is confirmed or expires. An order has one booking: a second is a 409 unless the first was cancelled. A time that somebody else has is a 409 `slot_taken`.',
  errors: [409],
  isIdempotent: true,
  body: Joi.object<GivenBooking & Said>({
    ...bookingFields,
    service_id: bookingFields.service_id.required(),
    starts_at: bookingFields.starts_at.required(),
    source: bookingSource,
    revision,
  }),
  responses: { 201: orderView },
  // The reply is the order, which is where the booking is read.
  location: '/v1/commerce/orders',
  example: {
    body: { service_id: exampleIdOf('service'), starts_at: '2026-12-01T12:00:00.000Z', timezone: 'Europe/Berlin' },
  },
  handler: ({ params, body: { source, revision: seen, ...given }, caller, write }, { secrets }) =>
    changeOneOrder(
      { caller, write, secrets },
      { id: params.orderID, revision: seen },
      (order) => makeBooking(order, given, source),
      { status: 201 },
    ),
});

export const patchBookingOfOrder = endpoint({
  ...about,
  method: 'patch',
  path,
  operationId: 'commerce.orders.booking.update',
  scope: 'commerce:write',
  summary: 'Move the booking of an order, or change how it is held',
  description:
    'What is not given stays; `staff_id` null gives it to whoever is free. An order without a booking is a 422 `booking_required`; a booking that took place or was cancelled is a 409.',
  errors: [409],
  isIdempotent: true,
  body: Joi.object<BookingPatch & Said>({
    ...bookingFields,
    staff_id: bookingFields.staff_id.allow(null),
    source: bookingSource,
    revision,
  }).or(...(Object.keys(bookingFields) as (keyof BookingPatch)[])),
  responses: { 200: orderView },
  example: { body: { starts_at: '2026-12-01T13:00:00.000Z', source: 'staff' } },
  handler: ({ params, body: { source, revision: seen, ...patch }, caller, write }, { secrets }) =>
    changeOneOrder({ caller, write, secrets }, { id: params.orderID, revision: seen }, (order) =>
      changeBooking(order, patch, source),
    ),
});

export const cancelBookingOfOrder = endpoint({
  ...about,
  method: 'delete',
  path,
  operationId: 'commerce.orders.booking.cancel',
  scope: 'commerce:write',
  summary: 'Cancel the booking of an order',
  description: 'The order stays as it is, and its calendar entry goes. Again is nothing; a booking that took place is a 409.',
  errors: [409],
  responses: { 200: orderView },
  handler: ({ params, caller, write }, { secrets }) =>
    changeOneOrder({ caller, write, secrets }, { id: params.orderID }, (order) => cancelBooking(order)),
});

const checkinTokenView = view(
  Joi.object({ order_id: id.required(), booking_id: id.required(), checkin_token: Joi.string().required() }),
  { order_id: exampleIdOf('order'), booking_id: exampleIdOf('booking'), checkin_token: exampleCheckinToken },
);

export const createCheckinToken = endpoint({
  ...about,
  method: 'post',
  path: `${path}/checkin-token`,
  operationId: 'commerce.orders.booking.checkin-token',
  scope: 'commerce:write',
  summary: 'Make the token that checks the customer in',
  description: 'Shown this once, for a code or a link of yours; the token before stops working. Only its hash is kept.',
  errors: [409],
  holdsSecret: true,
  isIdempotent: true,
  responses: { 200: checkinTokenView },
  handler: ({ params: { orderID }, caller, write }) =>
    write({ locks: [orderLock(orderID)] }, async ({ own: tx }) => {
      let made = { bookingId: '', token: '' };
      await changeOrder(tx, { id: orderID, actor: actorOf(caller) }, async (order) => {
        made = await makeCheckinToken(order);
      });
      return ok({ order_id: orderID, booking_id: made.bookingId, checkin_token: made.token });
    }),
});

export const missBookingOfOrder = endpoint({
  ...about,
  method: 'post',
  path: `${path}/no-show`,
  operationId: 'commerce.orders.booking.no-show',
  scope: 'commerce:write',
  summary: 'Say that the customer did not come',
  description: 'Once a confirmed booking has begun. Again is nothing.',
  errors: [409],
  responses: { 200: orderView },
  handler: ({ params, caller, write }, { secrets }) =>
    changeOneOrder({ caller, write, secrets }, { id: params.orderID }, missBooking),
});
