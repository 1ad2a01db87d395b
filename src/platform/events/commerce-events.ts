import Joi from 'joi';
import { exampleIdOf, exampleIds as ids } from '../examples.ts';
import { type EventContract, event } from './event.ts';

/** Ids, states and the names of fields only: what an order says is read over the API. */
const id = (description: string) => Joi.string().required().description(description);
const idOrNull = (description: string) => Joi.string().allow(null).required().description(description);
const changed = Joi.array().items(Joi.string()).required().description('The fields that changed, by their names in the API');
const organization = { organization_id: id('Its organization') };

const orderSubject = { type: 'order', id: 'order_id' as const };
const order = exampleIdOf('order');
const orderState = Joi.object({
  order_id: id('The order'),
  order_no: id('Its number'),
  status: id('pending, confirmed, processing, shipped, completed, cancelled'),
  payment_status: id('unpaid, pending, paid, partially_refunded, refunded, failed, expired'),
  ...organization,
  changed,
});
const orderExample = {
  order_id: order,
  order_no: 'A-000042',
  status: 'confirmed',
  payment_status: 'paid',
  organization_id: ids.organization,
};

export const orderCreated = event({
  type: 'commerce.order.created',
  description: 'An order was created',
  subject: orderSubject,
  data: orderState,
  example: { ...orderExample, status: 'pending', payment_status: 'unpaid', changed: [] },
});

export const orderUpdated = event({
  type: 'commerce.order.updated',
  description: 'The status or the payment status of an order changed; also when it is created',
  subject: orderSubject,
  data: orderState,
  example: { ...orderExample, changed: ['payment_status', 'status'] },
});

export const paymentUpdated = event({
  type: 'commerce.payment.updated',
  description: 'A payment session, a payment or a refund of an order changed',
  subject: orderSubject,
  data: Joi.object({
    order_id: id('The order'),
    kind: id('session, payment, refund'),
    id: id('The session, the payment or the refund'),
    status: id('That of the session or of the refund; a payment is received'),
    amount: Joi.number().integer().required().description('In minor units of the currency'),
    currency: id('ISO 4217'),
    ...organization,
  }),
  example: {
    order_id: order,
    kind: 'payment',
    id: exampleIdOf('payment'),
    status: 'received',
    amount: 150_000,
    currency: 'USD',
    organization_id: ids.organization,
  },
});

export const shipmentUpdated = event({
  type: 'commerce.shipment.updated',
  description: 'A shipment of an order changed',
  subject: orderSubject,
  data: Joi.object({
    order_id: id('The order'),
    shipment_id: id('The shipment'),
    status: id('creating, confirmed, cancelling, cancelled, failed, delivered, returned'),
    provider_status: Joi.string().allow('').required().description("The shipper's own word; empty: it has not said one"),
    tracking_number: Joi.string().allow('').required().description('Empty: none yet'),
    ...organization,
  }),
  example: {
    order_id: order,
    shipment_id: exampleIdOf('shipment'),
    status: 'confirmed',
    provider_status: 'picked',
    tracking_number: 'JNE0012345',
    organization_id: ids.organization,
  },
});

export const bookingUpdated = event({
  type: 'commerce.booking.updated',
  description: 'The booking of an order was made, moved, cancelled or attended, or its calendar changed',
  subject: orderSubject,
  data: Joi.object({
    order_id: id('The order'),
    booking_id: id('The booking'),
    status: id('held, confirmed, checked_in, completed, no_show, cancelled'),
    starts_at: id('When it begins'),
    staff_id: id('Who does it'),
    calendar_sync_status: Joi.string()
      .allow('')
      .required()
      .description('pending, synced, failed, skipped; empty: no calendar was asked yet'),
    ...organization,
    changed,
  }),
  example: {
    order_id: order,
    booking_id: exampleIdOf('booking'),
    status: 'confirmed',
    starts_at: '2026-12-01T09:00:00.000Z',
    staff_id: exampleIdOf('staff'),
    calendar_sync_status: 'synced',
    organization_id: ids.organization,
    changed: ['status'],
  },
});

export const connectionStatusUpdate = event({
  type: 'connection.status_update',
  description: 'The service behind a connection refused its credentials, or takes them again',
  subject: { type: 'connection', id: 'connection_id' as const },
  data: Joi.object({
    connection_id: id('The connection'),
    kind: id('calendar, video, shipper, payment'),
    status: id('connected, auth_error, restricted, disconnected'),
    previous_status: idOrNull('The status before; null: it is new'),
    ...organization,
  }),
  example: {
    connection_id: exampleIdOf('connection'),
    kind: 'calendar',
    status: 'auth_error',
    previous_status: 'connected',
    organization_id: ids.organization,
  },
});

export const commerceEvents = [
  orderCreated,
  orderUpdated,
  paymentUpdated,
  shipmentUpdated,
  bookingUpdated,
  connectionStatusUpdate,
] as unknown as EventContract[];
