import Joi from 'joi';
import type { BookingRow } from '../../src/commerce/bookings/booking-row.ts';
import { assertInTime, cancelBooking, changeBooking } from '../../src/commerce/bookings/change.ts';
import { freeSlots, type SlotRequest } from '../../src/commerce/bookings/free-slots.ts';
import { exampleCheckoutToken, organizationOfToken } from '../../src/commerce/orders/checkout-token.ts';
import { bookedOf, orderIdOfToken, type PageService } from '../../src/commerce/orders/customer-page.ts';
import { orderLock } from '../../src/commerce/orders/order-row.ts';
import { changeOrder, type OrderTx } from '../../src/commerce/orders/order-tx.ts';
import { type Own, ownRows } from '../../src/platform/database/own.ts';
import { AppError, notFound } from '../../src/platform/errors.ts';
import { transactFor } from '../../src/platform/ledger/tenant.ts';
import type { Deps } from '../http/deps.ts';
import { endpoint, ok } from '../http/endpoint.ts';
import { bookingFields } from './booking-schemas.ts';
import { customerPageView, toCustomerPage } from './customer-page-view.ts';
import { tag } from './service-schemas.ts';
import { customerSlotsView, exampleSlotQuery, slotQuery } from './slots.ts';

const path = '/v1/checkout/:token';
const about = {
  tag,
  subject: 'Order',
  scope: 'public' as const,
  params: { token: Joi.string().max(200).required().description('`checkout_token` of the order') },
};
const params = { token: exampleCheckoutToken };

type Found = { own: Own; orderId: string };

/**
 * The token is the credential. Throws 404. Only the look-up of a token counts for the connections that all customers share: once it is
 * known, the work counts for the store's share, so that the customers of one store cannot take those of others.
 */
async function withOrder<Result>(
  { database }: Pick<Deps, 'database'>,
  token: string,
  work: (found: Found) => Promise<Result>,
): Promise<Result> {
  const organizationId = organizationOfToken(token);
  if (!organizationId) throw notFound('Order');
  const own = ownRows(database, organizationId);
  const orderId = await orderIdOfToken(own, token);
  return database.onBehalfOf(organizationId, () => work({ own, orderId }));
}

export const getCustomerPage = endpoint({
  ...about,
  method: 'get',
  path,
  operationId: 'checkout.get',
  summary: "Read the customer's own page of an order",
  description: 'What the customer may know of the order, by the token of its page. An unknown token is a 404.',
  responses: { 200: customerPageView },
  example: { params },
  handler: ({ params: { token } }, deps) =>
    withOrder(deps, token, async ({ own, orderId }) => ok(await toCustomerPage(own, orderId))),
});

export const listOfCustomerSlots = endpoint({
  ...about,
  method: 'get',
  path: `${path}/slots`,
  operationId: 'checkout.slots',
  summary: 'List the times to which the customer can move the booking',
  description: 'With whoever does it now, who is not named. Without `timezone` the days are those of the booking.',
  query: Joi.object<Omit<SlotRequest, 'staff_id'>>(slotQuery),
  responses: { 200: customerSlotsView },
  example: { params, query: exampleSlotQuery },
  handler: ({ params: { token }, query }, deps) =>
    withOrder(deps, token, async ({ own, orderId }) => {
      const { booking } = await mustBeBooked(own, orderId);
      const asked = { timezone: booking.timezone, ...query, staff_id: booking.staff_id };
      const find = () => freeSlots(own, booking.service_id, asked, booking.id);
      // A place apart: customers must not hold up the store's own searches.
      const { timezone, slots, nextFrom } = await deps.reads.inPlace(`checkout:${own.organizationId}`, find);
      return ok({ timezone, items: slots.map(({ staff_ids: _, ...slot }) => slot), next_from: nextFrom });
    }),
});

export const rescheduleByCustomer = endpoint({
  ...about,
  method: 'post',
  path: `${path}/reschedule`,
  operationId: 'checkout.reschedule',
  summary: 'Move the booking, as its customer',
  description:
    'To another of its slots, with whoever does it now, until `cancel_until_minutes` of the service before it begins; later is a 409.',
  errors: [409],
  body: Joi.object<{ starts_at: string; timezone?: string }>({
    starts_at: bookingFields.starts_at.required(),
    timezone: bookingFields.timezone,
  }),
  responses: { 200: customerPageView },
  example: { params, body: { starts_at: '2026-12-01T13:00:00.000Z' } },
  handler: ({ params: { token }, body }, deps) => changed(deps, token, (order) => changeBooking(order, body, 'customer')),
});

export const cancelByCustomer = endpoint({
  ...about,
  method: 'post',
  path: `${path}/cancel`,
  operationId: 'checkout.cancel',
  summary: 'Cancel the booking, as its customer',
  description:
    'Until `cancel_until_minutes` of the service before it begins; later is a 409. The order stays as it is, for the store to decide on.',
  errors: [409],
  responses: { 200: customerPageView },
  example: { params },
  handler: ({ params: { token } }, deps) => changed(deps, token, cancelBooking),
});

const changed = (deps: Deps, token: string, work: (order: OrderTx) => Promise<void>) =>
  withOrder(deps, token, async ({ own, orderId }) => {
    await transactFor(deps.ledger.transact, own.organizationId)({ locks: [orderLock(orderId)] }, async ({ own: tx }) => {
      await changeOrder(tx, { id: orderId, actor: 'customer' }, async (order) => {
        const { booking, service } = await mustBeBooked(order, orderId);
        if (booking.status !== 'cancelled') assertInTime(booking, service.cancel_until_minutes);
        await work(order);
      });
    });
    return ok(await toCustomerPage(own, orderId));
  });

async function mustBeBooked(own: Own, orderId: string): Promise<{ booking: BookingRow; service: PageService }> {
  const booked = await bookedOf(own, orderId);
  if (!booked) throw new AppError('booking_required', 'The order has no booking');
  return booked;
}
