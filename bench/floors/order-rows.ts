import type pg from 'pg';
import { v7 as uuidv7 } from 'uuid';
import { insertJob } from './messages.ts';
import { type Fields, type Item, orderColumns } from './order-shown.ts';

/** Last but the rows that need it: all orders of the organization wait for its counter. */
const insertOrder = `with n as (
    insert into order_counters (organization_id, last_no) values ($1, 1)
    on conflict (organization_id) do update set last_no = order_counters.last_no + 1 returning last_no)
  insert into orders (organization_id, order_no, reserved_until, id, draft_order_id, contact_id, customer_name, customer_email, customer_phone,
    currency, delivery_method, delivery_method_id, delivery_kind, delivery_fee_amount, discount_amount, subtotal_amount, total_amount,
    shipping_address, checkout_token, checkout_token_hash)
  select $1, $2 || lpad(n.last_no::text, 6, '0'), now() + $3 * interval '1 minute', $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, 0, $15,
    $16, $17, $18, $19 from n returning ${orderColumns.join(', ')}`;
const insertRows = `with t as (
    insert into order_changes (organization_id, id, order_id, kind, actor) values ($1, uuidv7(), $2, 'created', 'key')),
  m as (
    insert into stock_movements (organization_id, id, variant_id, kind, quantity, order_id, order_item_id)
    select $1, uuidv7(), x.variant_id, 'reserve', x.quantity, $2, x.id from jsonb_to_recordset($3) as x (id uuid, variant_id uuid, quantity int))
  insert into order_items (organization_id, id, order_id, position, product_id, variant_id, service_id, sku, name, quantity, unit_amount,
    discount_amount, total_amount, tracks_stock, is_shipped, weight_grams)
  select $1, x.id, $2, x.position, x.product_id, x.variant_id, x.service_id, x.sku, x.name, x.quantity, x.unit_amount, x.discount_amount,
    x.total_amount, x.tracks_stock, x.is_shipped, x.weight_grams
    from jsonb_to_recordset($3) as x (id uuid, position int, product_id uuid, variant_id uuid, service_id uuid, sku text, name text,
      quantity int, unit_amount bigint, discount_amount bigint, total_amount bigint, tracks_stock boolean, is_shipped boolean, weight_grams int)`;
/** Both events of a new order and the deliveries to who listens. */
const announce = `with e as (
    insert into events (id, organization_id, type, subject_type, subject_id, data)
    values ($2, $1, 'commerce.order.created', 'order', $4, $5), ($3, $1, 'commerce.order.updated', 'order', $4, $6) returning id, type)
  insert into webhook_deliveries (id, organization_id, event_id, endpoint_id, state)
  select uuidv7(), $1, e.id, w.id, 'pending' from e join webhook_endpoints w on w.organization_id = $1 and e.type = any(w.event_types)`;

type New = { organization: string; order: Fields; items: Item[]; order_no_prefix: string; reservation_minutes: number };

/** The job waits in its row: a sweep hands it over when the reservation ends, as ours does. */
export async function insertOrderStatements(client: pg.PoolClient, given: New): Promise<Fields> {
  const { organization, order, items, order_no_prefix: prefix, reservation_minutes: minutes } = given;
  const values = [organization, prefix, minutes, ...Object.values(order)];
  const { rows } = await client.query({ name: 'insert-order', text: insertOrder, values });
  await client.query({ name: 'order-rows', text: insertRows, values: [organization, order.id, JSON.stringify(items)] });
  const { id, order_no, status, payment_status } = rows[0];
  const data = { order_id: id, order_no, status, payment_status, organization_id: organization };
  await client.query({
    name: 'announce-order',
    text: announce,
    values: [
      ...[organization, uuidv7(), uuidv7(), id],
      ...[
        { ...data, changed: [] },
        { ...data, changed: ['payment_status', 'status'] },
      ],
    ],
  });
  await client.query({
    name: 'job',
    text: insertJob,
    values: [uuidv7(), organization, 'commerce.expire-order', 'default', { order_id: id }, 'order', id],
  });
  return rows[0];
}
