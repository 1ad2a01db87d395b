import Joi from 'joi';
import { bookingModes, bookingStatuses } from '../../src/commerce/bookings/booking.entity.ts';
import type { BookingRow } from '../../src/commerce/bookings/booking-row.ts';
import { changeableUntil } from '../../src/commerce/bookings/change.ts';
import { bookedOf, type PageService, storeNameOf } from '../../src/commerce/orders/customer-page.ts';
import { orderFulfillmentStatuses, orderPaymentStatuses, orderStatuses } from '../../src/commerce/orders/order.entity.ts';
import { type ShownOrder, showOrder } from '../../src/commerce/orders/shown.ts';
import { digitsOf } from '../../src/money/currencies.ts';
import type { Own } from '../../src/platform/database/own.ts';
import { exampleTime } from '../../src/platform/examples.ts';
import { now } from '../../src/platform/time/clock.ts';
import { iso, timestamp } from '../http/schemas.ts';
import { view } from '../http/view.ts';

const text = Joi.string().allow('').required();
const amount = Joi.number().integer().min(0).required();

const booking = Joi.object({
  service: text,
  with: text.description('The name of who does it'),
  status: Joi.string()
    .valid(...bookingStatuses)
    .required(),
  mode: Joi.string()
    .valid(...bookingModes)
    .required(),
  starts_at: timestamp.required(),
  ends_at: timestamp.required(),
  timezone: text,
  location: text,
  conference_url: text.description('Where it takes place by video; empty: nowhere, or not yet'),
  is_changeable: Joi.boolean().required().description('The customer can still move or cancel it'),
  changeable_until: timestamp.required(),
});

/** No ids, no notes, nobody's address: the token may be forwarded. */
export const customerPageView = view(
  'customer_page',
  Joi.object({
    order_no: text,
    store_name: text,
    status: Joi.string()
      .valid(...orderStatuses)
      .required(),
    payment_status: Joi.string()
      .valid(...orderPaymentStatuses)
      .required(),
    fulfillment_status: Joi.string()
      .valid(...orderFulfillmentStatuses)
      .required(),
    items: Joi.array()
      .items(Joi.object({ name: text, quantity: amount, total_amount: amount }))
      .required(),
    currency: text,
    currency_digits: amount,
    subtotal_amount: amount,
    discount_amount: amount,
    delivery_fee_amount: amount,
    total_amount: amount,
    paid_amount: amount,
    tracking_url: text.description('Empty: none yet'),
    checkout_url: text.description('Where to pay; empty: nothing to pay, or no session'),
    booking: booking.allow(null).required(),
    created_at: timestamp.required(),
  }),
  {
    order_no: 'A-000042',
    store_name: 'Harbour Books',
    status: 'confirmed',
    payment_status: 'paid',
    fulfillment_status: 'unfulfilled',
    items: [{ name: 'Haircut', quantity: 1, total_amount: 4500 }],
    currency: 'USD',
    currency_digits: 2,
    subtotal_amount: 4500,
    discount_amount: 0,
    delivery_fee_amount: 0,
    total_amount: 4500,
    paid_amount: 4500,
    tracking_url: '',
    checkout_url: '',
    booking: {
      service: 'Haircut',
      with: 'Grace Hopper',
      status: 'confirmed',
      mode: 'in_person',
      starts_at: '2026-12-01T12:00:00.000Z',
      ends_at: '2026-12-01T12:45:00.000Z',
      timezone: 'Europe/Berlin',
      location: '1 Main St',
      conference_url: '',
      is_changeable: true,
      changeable_until: '2026-11-30T12:00:00.000Z',
    },
    created_at: exampleTime,
  },
);

const payable = ['unpaid', 'pending', 'failed', 'expired'];

export async function toCustomerPage(own: Own, orderId: string) {
  const row = await showOrder(own, orderId);
  const booked = await bookedOf(own, orderId);
  return {
    order_no: row.order_no,
    store_name: await storeNameOf(own),
    status: row.status,
    payment_status: row.payment_status,
    fulfillment_status: row.fulfillment_status,
    items: row.items.map(({ name, quantity, total_amount }) => ({ name, quantity, total_amount: Number(total_amount) })),
    currency: row.currency,
    currency_digits: digitsOf(row.currency),
    subtotal_amount: Number(row.subtotal_amount),
    discount_amount: Number(row.discount_amount),
    delivery_fee_amount: Number(row.delivery_fee_amount),
    total_amount: Number(row.total_amount),
    paid_amount: Number(row.paid_amount),
    tracking_url: row.tracking_url,
    checkout_url: row.status === 'pending' && payable.includes(row.payment_status) ? (row.session?.checkout_url ?? '') : '',
    booking: booked ? toBooking(row, booked) : null,
    created_at: iso(row.created_at),
  };
}

function toBooking({ booking: shown }: ShownOrder, { booking: row, service }: { booking: BookingRow; service: PageService }) {
  const until = changeableUntil(row.starts_at, service.cancel_until_minutes);
  const isLive = row.status === 'held' || row.status === 'confirmed';
  return {
    service: service.name,
    with: shown?.staff_name ?? '',
    status: row.status,
    mode: row.mode,
    starts_at: iso(row.starts_at),
    ends_at: iso(row.ends_at),
    timezone: row.timezone,
    location: service.location,
    conference_url: isLive ? conferenceUrl(row, shown) : '',
    is_changeable: isLive && now() <= until,
    changeable_until: new Date(until).toISOString(),
  };
}

function conferenceUrl({ conference }: BookingRow, shown: ShownOrder['booking']): string {
  if (/^https:/i.test(conference)) return conference;
  return shown?.video_meeting_url || shown?.video_meet_url || '';
}
