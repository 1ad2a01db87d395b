import type { Own } from '../../platform/database/own.ts';
import { statement } from '../../platform/database/statement.ts';
import { notFound } from '../../platform/errors.ts';
import type { BookingRow } from '../bookings/booking-row.ts';
import { findBookingOf } from '../bookings/booking-row.ts';
import { Service } from '../bookings/service.entity.ts';
import { CommerceSettings } from '../settings.entity.ts';
import { checkoutTokenHash } from './checkout-token.ts';
import { Order } from './order.entity.ts';

const byToken = statement((select, { hash }: { hash: string }) =>
  select(Order).select(['id']).where('checkout_token_hash', '=', hash),
);

/** Throws 404. */
export async function orderIdOfToken(own: Own, token: string): Promise<string> {
  const [row] = await byToken(own, { hash: checkoutTokenHash(token) });
  if (!row) throw notFound('Order');
  return row.id;
}

const store = statement((select) => select(CommerceSettings).select(['store_name']));

export async function storeNameOf(own: Own): Promise<string> {
  const [settings] = await store(own, {});
  return settings?.store_name ?? '';
}

const rulesOf = statement((select, { id }: { id: string }) =>
  select(Service).select(['id', 'name', 'location', 'cancel_until_minutes', 'active']).where('id', '=', id),
);

export type PageService = Awaited<ReturnType<typeof rulesOf>>[number];

/** What the customer booked, with the service's rules. Undefined: nothing. */
export async function bookedOf(own: Own, orderId: string): Promise<{ booking: BookingRow; service: PageService } | undefined> {
  const booking = await findBookingOf(own, orderId);
  const [service] = booking ? await rulesOf(own, { id: booking.service_id }) : [];
  return booking && service && { booking, service };
}
