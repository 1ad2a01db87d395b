import { orderLane } from '../../src/commerce/orders/order-row.ts';
import { connectionPool } from '../../src/connections/use.ts';
import type { Side } from '../stage.ts';
import { insertOrders } from './orders.ts';
import { shopOf } from './shop.ts';

/** `count` paid orders whose parcel is to be ordered, each with its job waiting for room in the account's pool. In rupiah, as the shipper counts. */
export async function queueShipments(side: Side, count: number): Promise<void> {
  const { sql, tenant } = side;
  const shop = await shopOf(side);
  const { orderIds } = await insertOrders(side, shop, count, () => false);
  const ids = [tenant.organizationId, orderIds];
  await sql.query(`update orders set currency = 'IDR' where organization_id = $1 and id = any($2)`, ids);
  await sql.query('update order_items set weight_grams = 100 where organization_id = $1 and order_id = any($2)', ids);
  await sql.query(
    `with s as (
       insert into shipments (organization_id, id, order_id, connection_id, courier_code, courier_service_code, destination_area_id)
       select $1, uuidv7(), x.id, $3, 'jne', 'reg', 'IDNP6' from unnest($2::uuid[]) as x(id) returning id, order_id)
     insert into jobs (id, organization_id, name, queue, payload, subject_type, subject_id, lane, pool, visible, state, check_at)
     select uuidv7(), $1, 'commerce.create-shipment', 'default', jsonb_build_object('order_id', s.order_id, 'shipment_id', s.id), 'order',
            s.order_id, x.lane, $5, true, 'waiting', now() + interval '5 min'
       from s join unnest($2::uuid[], $4::text[]) as x(order_id, lane) on x.order_id = s.order_id`,
    [...ids, shop.shipperId, orderIds.map((id) => orderLane('shipping', id)), connectionPool(shop.shipperId)],
  );
}
