import { orderLane } from '../../src/commerce/orders/order-row.ts';
import { connectionPool } from '../../src/connections/use.ts';
import type { Side } from '../stage.ts';
import { insertOrders } from './orders.ts';
import { shopOf } from './shop.ts';

/** `count` bookings that their calendar does not know yet, each with its job waiting for room in the account's pool; their ids. */
export async function queueSyncs(side: Side, count: number): Promise<string[]> {
  const { sql, tenant } = side;
  const shop = await shopOf(side);
  const { bookings } = await insertOrders(side, shop, count, () => true);
  const ids = bookings.map(({ bookingId }) => bookingId);
  const orderIds = bookings.map(({ orderId }) => orderId);
  await sql.query(
    `update booking_calendars
        set status = 'pending', synced = 0, connection_id = null, calendar_id = null, event_id = null, etag = null, event_url = '',
            last_synced_at = null, pending_since = clock_timestamp()
      where organization_id = $1 and booking_id = any($2)`,
    [tenant.organizationId, ids],
  );
  await sql.query(
    `insert into jobs (id, organization_id, name, queue, payload, subject_type, subject_id, lane, pool, visible, state, check_at)
     select uuidv7(), $1, 'commerce.sync-booking-calendar', 'default', jsonb_build_object('order_id', x.id), 'order', x.id, x.lane, $4, true,
            'waiting', now() + interval '5 min'
       from unnest($2::uuid[], $3::text[]) as x(id, lane)`,
    [tenant.organizationId, orderIds, orderIds.map((id) => orderLane('calendar', id)), connectionPool(shop.calendarId)],
  );
  await sql.query('vacuum analyze jobs, booking_calendars');
  return ids;
}
