import { expect } from '@jest/globals';
import { uuidv7 } from '../../src/platform/ids.ts';
import type { App, Body, Tenant } from './app.ts';

const everyDay = [1, 2, 3, 4, 5, 6, 7].map((weekday) => ({ weekday, start: '09:00', end: '17:00' }));

let numbers = 0;

/** An order as a conversion leaves it. */
export async function orderFor(
  app: App,
  { organizationId }: Tenant,
  more: { status?: string; contactId?: string; tokenHash?: string } = {},
): Promise<string> {
  numbers += 1;
  const id = uuidv7();
  await app.rows(
    `insert into orders (organization_id, id, order_no, status, contact_id, checkout_token_hash, currency, customer_name,
                         delivery_fee_amount, discount_amount, subtotal_amount, total_amount)
     values ($1, $2, $3, $4, $5, $6, 'USD', 'Ada Lovelace', 0, 0, 4500, 4500)`,
    [
      organizationId,
      id,
      `T-${String(numbers).padStart(6, '0')}`,
      more.status ?? 'pending',
      more.contactId ?? null,
      more.tokenHash ?? null,
    ],
  );
  await app.rows(
    `insert into order_items (organization_id, id, order_id, position, sku, name, quantity, unit_amount, discount_amount,
                              total_amount, tracks_stock, is_shipped)
     values ($1, uuidv7(), $2, 0, 'CUT', 'Haircut', 1, 4500, 0, 4500, false, false)`,
    [organizationId, id],
  );
  return id;
}

export type Bookable = { serviceId: string; staffIds: string[] };

/** A service of 60 minutes from 9 to 17 o'clock of every day, in UTC, and who does it. */
export async function bookable(
  app: App,
  { key }: Tenant,
  { people = 1, service = {}, staff = {} }: { people?: number; service?: object; staff?: object } = {},
): Promise<Bookable> {
  const staffIds: string[] = [];
  for (let index = 0; index < people; index += 1) {
    const body = { name: `Person ${index}`, timezone: 'UTC', weekly_hours: everyDay, ...staff };
    const made = await app.call('commerce.staff.create', { key, body });
    expect(made.status).toBe(201);
    staffIds.push(made.body.id);
  }
  const body = { name: 'Haircut', duration_minutes: 60, step_minutes: 30, staff_ids: staffIds, ...service };
  const made = await app.call('commerce.services.create', { key, body });
  expect(made.status).toBe(201);
  return { serviceId: made.body.id, staffIds };
}

/** So many days ahead at this time of the day in UTC. */
export function at(days: number, time = '10:00'): string {
  const day = new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
  return `${day}T${time}:00.000Z`;
}

export const dayOf = (days: number) => at(days).slice(0, 10);

export const book = (app: App, { key }: Tenant, orderID: string, body: object) =>
  app.call('commerce.orders.booking.create', { key, params: { orderID }, body });

export const bookingOf = ({ shipping_metadata }: Body): Body => shipping_metadata.booking;

/** Moves a booking in time as if the clock had gone on, and its hours with it. */
export const shiftBooking = (app: App, orderId: string, startsIn: string) =>
  app.rows(
    `update bookings
        set starts_at = clock_timestamp() + $2::interval,
            ends_at = clock_timestamp() + $2::interval + interval '1 hour',
            during = tstzrange(clock_timestamp() + $2::interval, clock_timestamp() + $2::interval + interval '1 hour')
      where order_id = $1`,
    [orderId, startsIn],
  );
