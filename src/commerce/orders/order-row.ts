import type { Own } from '../../platform/database/own.ts';
import { statement } from '../../platform/database/statement.ts';
import type { RowOf } from '../../platform/database/tables.ts';
import { notFound } from '../../platform/errors.ts';
import { subjectLock } from '../../platform/ledger/locks.ts';
import { Order } from './order.entity.ts';

export const orderColumns = [
  'id',
  'order_no',
  'draft_order_id',
  'contact_id',
  'status',
  'payment_status',
  'fulfillment_status',
  'stock',
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
  'paid_amount',
  'refunded_amount',
  'discount_id',
  'discount_code',
  'payment_method',
  'referral_code',
  'notes',
  'fulfillment_notes',
  'fulfillment_carrier',
  'tracking_number',
  'tracking_url',
  'source_reference',
  'shipping_address',
  'quote_id',
  'rate',
  'prepaid_deliveries_total',
  'prepaid_deliveries_remaining',
  'attention',
  'reserved_until',
  'cancel_reason',
  'confirmed_at',
  'shipped_at',
  'completed_at',
  'cancelled_at',
  'revision',
  'created_at',
  'updated_at',
] as const;

/** The row without its tokens. Amounts are text, as the database gives a bigint. */
export type OrderRow = RowOf<typeof Order, (typeof orderColumns)[number]>;

/** Orders the events of an order; every change of one holds it. Also that of the lanes of `orderLane`. */
export const orderLock = (id: string) => subjectLock('order', id);

/** Four heads and one lock: a shipper that is down delays no calendar. */
export type OrderLane = 'calendar' | 'payment' | 'shipping' | 'expiry';
export const orderLane = (lane: OrderLane, orderId: string) => `subject:${lane}:${orderLock(orderId)}`;

const byId = statement((select, { id }: { id: string }) => select(Order).select(orderColumns).where('id', '=', id));

export async function findOrder(own: Own, id: string): Promise<OrderRow | undefined> {
  const [row] = await byId(own, { id });
  return row;
}

/** Throws 404. */
export async function getOrder(own: Own, id: string): Promise<OrderRow> {
  const row = await findOrder(own, id);
  if (!row) throw notFound('Order');
  return row;
}
