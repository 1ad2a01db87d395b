import Joi from 'joi';
import { bookingOfCheckin, checkIn, exampleCheckinToken } from '../../src/commerce/bookings/attendance.ts';
import { type BookingStatus, bookingModes, bookingSources, bookingStatuses } from '../../src/commerce/bookings/booking.entity.ts';
import { type BookingFilter, type ListedBooking, listBookings } from '../../src/commerce/bookings/list.ts';
import { orderLock } from '../../src/commerce/orders/order-row.ts';
import { changeOrder } from '../../src/commerce/orders/order-tx.ts';
import { actorOf } from '../../src/organizations/caller.ts';
import { exampleIdOf, exampleIds, exampleTime } from '../../src/platform/examples.ts';
import type { Ask } from '../../src/platform/listing/paging.ts';
import { endpoint } from '../http/endpoint.ts';
import { listed, listOf, type PageQuery, pageQuery } from '../http/paging.ts';
import { id, iso, moment, timestamp } from '../http/schemas.ts';
import { view } from '../http/view.ts';
import { orderView, writtenReply } from './order-view.ts';
import { tag } from './service-schemas.ts';

const status = Joi.string().valid(...bookingStatuses);

const bookingView = view(
  'booking',
  Joi.object({
    id: id.required(),
    order_id: id.required(),
    order_no: Joi.string().required(),
    service_id: id.required(),
    staff_id: id.required(),
    contact_id: id.allow(null).required(),
    status: status.required(),
    mode: Joi.string()
      .valid(...bookingModes)
      .required(),
    source: Joi.string()
      .valid(...bookingSources)
      .required()
      .description('Who asked for this time'),
    starts_at: timestamp.required(),
    ends_at: timestamp.required(),
    timezone: Joi.string().required(),
    video_conference_override: Joi.string().allow('').required().description('Empty: as the service says'),
    calendar_sync_status: Joi.string()
      .valid('pending', 'synced', 'failed', 'skipped')
      .allow('')
      .required()
      .description('Empty: no calendar was asked yet'),
    checked_in_at: timestamp.allow(null).required(),
    schedule_updated_at: timestamp.required().description('When it got this time'),
    created_at: timestamp.required(),
    updated_at: timestamp.required(),
  }),
  {
    id: exampleIdOf('booking'),
    order_id: exampleIdOf('order'),
    order_no: 'A-000042',
    service_id: exampleIdOf('service'),
    staff_id: exampleIdOf('staff'),
    contact_id: exampleIds.contact,
    status: 'confirmed',
    mode: 'in_person',
    source: 'api',
    starts_at: '2026-12-01T12:00:00.000Z',
    ends_at: '2026-12-01T12:45:00.000Z',
    timezone: 'Europe/Berlin',
    video_conference_override: '',
    calendar_sync_status: 'synced',
    checked_in_at: null,
    schedule_updated_at: exampleTime,
    created_at: exampleTime,
    updated_at: exampleTime,
  },
);

const toView = (row: ListedBooking) => {
  const { created_at, made_at, conference, checkin_token_hash: _, calendar_sync_status, ...rest } = row;
  return {
    ...rest,
    starts_at: iso(created_at),
    ends_at: iso(row.ends_at),
    video_conference_override: conference,
    calendar_sync_status: calendar_sync_status ?? '',
    checked_in_at: row.checked_in_at && iso(row.checked_in_at),
    schedule_updated_at: iso(row.schedule_updated_at),
    created_at: iso(made_at),
    updated_at: iso(row.updated_at),
  };
};

type ListQuery = PageQuery & {
  staff_id?: string;
  service_id?: string;
  contact_id?: string;
  status?: BookingStatus;
  since?: string;
  until?: string;
};

export const listOfBookings = endpoint({
  method: 'get',
  path: '/v1/commerce/bookings',
  operationId: 'commerce.bookings.list',
  tag,
  scope: 'commerce:read',
  summary: 'List bookings, the latest start first',
  query: Joi.object<ListQuery>({
    ...pageQuery,
    staff_id: id,
    service_id: id,
    contact_id: id,
    status,
    since: moment.description('Begins at this time or later'),
    until: moment.description('Begins before this time'),
  }),
  responses: { 200: listOf(bookingView) },
  handler({ query, own }, { reads }) {
    const { staff_id: staffId, service_id: serviceId, contact_id: contactId, since, until } = query;
    const filter: BookingFilter = { staffId, serviceId, contactId, status: query.status, since, until };
    const read = (ask: Ask) => listed('commerce.bookings', filter, query, (page) => listBookings(own, ask, filter, page), toView);
    return query.include_total ? reads.dear(own.organizationId, read) : read(reads.plain);
  },
});

export const checkInBooking = endpoint({
  method: 'post',
  path: '/v1/commerce/bookings/check-in',
  operationId: 'commerce.bookings.check-in',
  tag,
  scope: 'commerce:write',
  subject: 'Booking',
  summary: 'Check a customer in by the token',
  description:
    'Again is the same, with the first time. A booking that is not confirmed, or begins in more than 24 hours, is a 409.',
  errors: [409],
  body: Joi.object<{ token: string }>({ token: Joi.string().min(1).max(200).required() }),
  responses: { 200: orderView },
  example: { body: { token: exampleCheckinToken } },
  handler: ({ body: { token }, own, caller, write }, { secrets }) => {
    const look = { look: () => bookingOfCheckin(own, token), locks: orderLockOf };
    return write(look, async ({ own: tx }, { order_id }) => {
      await changeOrder(tx, { id: order_id, actor: actorOf(caller) }, (order) => checkIn(order, token));
      return writtenReply(tx, order_id, secrets);
    });
  },
});

const orderLockOf = ({ order_id }: { order_id: string }) => [orderLock(order_id)];
