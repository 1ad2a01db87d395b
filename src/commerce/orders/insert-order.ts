import type { RowOf } from '../../platform/database/tables.ts';
import type { OwnTx } from '../../platform/ledger/tx.ts';
import type { PricedLine } from '../drafts/priced.ts';
import { orderMoves } from '../tallies.ts';
import type { Totals } from '../totals.ts';
import type { Order } from './order.entity.ts';

/** What a new order is given; the number and the times are the database's. */
const columns = [
  'id',
  'draft_order_id',
  'contact_id',
  'status',
  'payment_status',
  'customer_name',
  'customer_email',
  'customer_phone',
  'checkout_uploads',
  'delivery_date',
  'delivery_timeslot',
  'delivery_timeslot_id',
  'delivery_method',
  'delivery_method_id',
  'delivery_kind',
  'currency',
  'delivery_fee_amount',
  'discount_amount',
  'subtotal_amount',
  'total_amount',
  'discount_id',
  'discount_code',
  'payment_method',
  'referral_code',
  'notes',
  'fulfillment_notes',
  'source_reference',
  'shipping_address',
  'quote_id',
  'rate',
  'prepaid_deliveries_total',
  'prepaid_deliveries_remaining',
  'checkout_token',
  'checkout_token_hash',
] as const;
export type NewOrderRow = RowOf<typeof Order, (typeof columns)[number]> & {
  checkout_token: string;
  checkout_token_hash: string;
};

/**
 * SQL: a counter, the row, its items and its history in one round trip (bench: flash-sale). The last one before the ledger's: all orders of the
 * organization wait for the counter's row until the commit. $2: the prefix; $3: minutes of the reservation, null for none; $4: the items; $5: who; $6: the row.
 */
const insert = `
  with counted as (
    insert into order_counters (organization_id, last_no)
    values ($1, 1)
    on conflict on constraint order_counters_pkey do update
      set last_no = order_counters.last_no + 1
    returning last_no::text as no),
  made as (
    insert into orders (organization_id, order_no, reserved_until, confirmed_at, ${columns.join(', ')})
    select $1, $2 || lpad(no, greatest(6, length(no)), '0'), clock_timestamp() + $3::int * interval '1 minute',
           case when $3::int is null then clock_timestamp() end, ${columns.map((name) => `r.${name}`).join(', ')}
      from counted
     cross join jsonb_populate_record(null::orders, $6::jsonb) as r
    returning id, order_no, status, payment_status),
  told as (
    insert into order_changes (organization_id, id, order_id, kind, actor, data)
    select $1, uuidv7(), made.id, 'created', $5, '{}'
      from made),
  items as (
    insert into order_items (
      organization_id, id, order_id, position, product_id, variant_id, service_id, sku, name, quantity, unit_amount,
      discount_amount, total_amount, tracks_stock, is_shipped, weight_grams)
    select $1, x.id, made.id, x.position, x.product_id, x.variant_id, x.service_id, x.sku, x.name, x.quantity, x.unit_amount,
           x.discount_amount, x.total_amount, x.tracks_stock, x.is_shipped, x.weight_grams
      from made
     cross join jsonb_to_recordset($4::jsonb) as x(
             id uuid, position int, product_id uuid, variant_id uuid, service_id uuid, sku text, name text, quantity int,
             unit_amount bigint, discount_amount bigint, total_amount bigint, tracks_stock boolean, is_shipped boolean,
             weight_grams int))
  select id, order_no, status, payment_status
    from made`;

type Made = RowOf<typeof Order, 'id' | 'order_no' | 'status' | 'payment_status'>;
export type ItemId = { id: string };

export async function insertOrder(
  tx: OwnTx,
  row: NewOrderRow,
  {
    prefix,
    reservedMinutes,
    lines,
    totals,
    actor,
  }: { prefix: string; reservedMinutes: number | null; lines: (PricedLine & ItemId)[]; totals: Totals; actor: string },
): Promise<Made> {
  const items = lines.map(({ id, variant, quantity, unit, name }, index) => ({
    id,
    position: index,
    product_id: variant.product_id,
    variant_id: variant.id,
    service_id: variant.service_id,
    sku: variant.sku,
    name,
    quantity,
    unit_amount: String(unit),
    discount_amount: String(totals.lines[index]!.discount),
    total_amount: String(totals.lines[index]!.total),
    tracks_stock: variant.tracks_stock,
    is_shipped: variant.kind === 'physical',
    weight_grams: variant.weight_grams,
  }));
  const [made] = await tx.sql<Made>(insert, [prefix, reservedMinutes, JSON.stringify(items), actor, JSON.stringify(row)]);
  tx.count(orderMoves, 'create');
  return made!;
}
