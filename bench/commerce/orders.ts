import { newCheckoutToken } from '../../src/commerce/orders/checkout-token.ts';
import { uuidv7 } from '../../src/platform/ids.ts';
import type { Side } from '../stage.ts';
import { type Shop, sealerOf } from './shop.ts';

export const address = { address: '1 Main St', city: 'Springfield', district: 'Centre', province: 'Illinois' };
const linesEach = 2;

/** `count` orders that were paid, of two lines each; those at `isBooked` have a booking, whose calendar is in step. */
export async function insertOrders(
  side: Side,
  shop: Shop,
  count: number,
  isBooked: (index: number) => boolean,
): Promise<{ orderIds: string[]; bookings: { orderId: string; bookingId: string }[] }> {
  const { sql, tenant } = side;
  const { organizationId, people } = tenant;
  const secrets = { seal: sealerOf(side) } as Parameters<typeof newCheckoutToken>[0];
  const orders = Array.from({ length: count }, (_, index) => ({
    id: uuidv7(),
    order_no: `P-${uuidv7()}`,
    contact_id: people[index % people.length]!.contactId,
    ...newCheckoutToken(secrets, organizationId).columns,
  }));
  const orderIds = orders.map(({ id }) => id);
  await sql.query(
    `insert into orders (organization_id, id, order_no, contact_id, status, payment_status, customer_name, customer_email, customer_phone,
                         delivery_method, delivery_method_id, delivery_kind, currency, delivery_fee_amount, discount_amount,
                         subtotal_amount, total_amount, paid_amount, shipping_address, checkout_token, checkout_token_hash, confirmed_at)
     select $1, x.id, x.order_no, x.contact_id, 'confirmed', 'paid', 'Ada Lovelace', 'ada@example.com', '+16505551234', 'Courier', $3,
            'flat', 'USD', 500, 0, 2000, 2500, 2500, $4, x.checkout_token, x.checkout_token_hash, now()
       from jsonb_to_recordset($2) as x(id uuid, order_no text, contact_id uuid, checkout_token text, checkout_token_hash text)`,
    [organizationId, JSON.stringify(orders), shop.methodId, address],
  );
  await sql.query(
    `insert into order_items (organization_id, id, order_id, position, variant_id, sku, name, quantity, unit_amount, discount_amount,
                              total_amount, tracks_stock, is_shipped)
     select $1, uuidv7(), o.id, p.n, ($3::uuid[])[1 + (o.i * ${linesEach} + p.n) % cardinality($3::uuid[])], 'TEA-100', 'Green tea, 100 g', 1,
            1000, 0, 1000, true, true
       from unnest($2::uuid[]) with ordinality as o(id, i) cross join generate_series(0, ${linesEach - 1}) as p(n)`,
    [organizationId, orderIds, shop.variantIds],
  );
  await sql.query(
    `insert into payment_sessions (organization_id, id, order_id, connection_id, provider, reference_id, status, amount, currency,
                                   provider_session_id, payment_method, checkout_url, expires_at, asked_at)
     select $1, uuidv7(), o.id, $3, 'stripe', 'r-' || o.id, 'completed', 2500, 'USD', 'cs_' || o.id, 'card',
            'https://pay.example/' || o.id, now(), now()
       from unnest($2::uuid[]) as o(id)`,
    [organizationId, orderIds, shop.paymentId],
  );
  const bookings = orderIds.flatMap((orderId, index) => (isBooked(index) ? [{ orderId, bookingId: uuidv7() }] : []));
  await insertBookings(side, shop, bookings);
  await sql.query('vacuum analyze orders, order_items, payment_sessions, bookings, booking_calendars');
  return { orderIds, bookings };
}

/** The token of the customer's own page of an order. */
export async function giveToken(side: Side, orderId: string): Promise<string> {
  const { organizationId } = side.tenant;
  const secrets = { seal: sealerOf(side) } as Parameters<typeof newCheckoutToken>[0];
  const { token, columns } = newCheckoutToken(secrets, organizationId);
  await side.sql.query('update orders set checkout_token = $3, checkout_token_hash = $4 where organization_id = $1 and id = $2', [
    organizationId,
    orderId,
    columns.checkout_token,
    columns.checkout_token_hash,
  ]);
  return token;
}

/** Half an hour each: no two of one person at a time. */
let slots = 0;

async function insertBookings({ sql, tenant }: Side, shop: Shop, bookings: { orderId: string; bookingId: string }[]) {
  await sql.query(
    `insert into bookings (organization_id, id, order_id, service_id, staff_id, status, starts_at, ends_at, during, timezone)
     select $1, x.id, x.order_id, $4, $5, 'confirmed', t.at, t.at + interval '30 min', tstzrange(t.at, t.at + interval '30 min'), 'UTC'
       from unnest($2::uuid[], $3::uuid[]) with ordinality as x(id, order_id, n)
      cross join lateral (select '2027-01-01'::timestamptz + ($6 + x.n) * interval '30 min' as at) t`,
    [
      ...[tenant.organizationId, bookings.map(({ bookingId }) => bookingId), bookings.map(({ orderId }) => orderId)],
      ...[shop.serviceId, shop.staffId, slots],
    ],
  );
  slots += bookings.length;
  await sql.query(
    `insert into booking_calendars (organization_id, booking_id, status, synced, connection_id, calendar_id, generation, event_id, etag,
                                    event_url, last_synced_at, pending_since)
     select $1, b.id, 'synced', 1, $3, 'primary', 0, 'e' || replace(b.id::text, '-', ''), '"1"', 'https://calendar.example/' || b.id, now(), null
       from unnest($2::uuid[]) as b(id)`,
    [tenant.organizationId, bookings.map(({ bookingId }) => bookingId), shop.calendarId],
  );
}
