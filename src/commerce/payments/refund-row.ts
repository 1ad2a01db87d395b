import type { Own } from '../../platform/database/own.ts';
import { statement } from '../../platform/database/statement.ts';
import type { RowOf } from '../../platform/database/tables.ts';
import { notFound } from '../../platform/errors.ts';
import { list, type Page } from '../../platform/listing/paging.ts';
import { getOrder } from '../orders/order-row.ts';
import { Payment, Refund } from './payment.entity.ts';

const paymentColumns = [
  'id',
  'order_id',
  'session_id',
  'connection_id',
  'provider_payment_id',
  'method',
  'amount',
  'currency',
  'note',
  'actor',
  'received_at',
  'created_at',
  'updated_at',
] as const;
export type PaymentRow = RowOf<typeof Payment, (typeof paymentColumns)[number]>;

const refundColumns = [
  'id',
  'order_id',
  'payment_id',
  'connection_id',
  'status',
  'amount',
  'currency',
  'reason',
  'provider_refund_id',
  'asked_at',
  'failure',
  'actor',
  'created_at',
  'updated_at',
] as const;
export type RefundRow = RowOf<typeof Refund, (typeof refundColumns)[number]>;

type OfOrder = { orderId: string };
const payments = list((select, { orderId }: OfOrder) => select(Payment).select(paymentColumns).where('order_id', '=', orderId));
const refunds = list((select, { orderId }: OfOrder) => select(Refund).select(refundColumns).where('order_id', '=', orderId));
const paymentById = statement((select, { id }: { id: string }) => select(Payment).select(paymentColumns).where('id', '=', id));
const refundById = statement((select, { id }: { id: string }) => select(Refund).select(refundColumns).where('id', '=', id));

const unanswered = statement((select, { orderId }: OfOrder) =>
  select(Refund)
    .select('id')
    .where('order_id', '=', orderId)
    .where('status', '=', 'pending')
    .where('failure', 'is not', null)
    .limit(1),
);

/** A refund of the order was given up without an answer. Needs rows that are written. */
export const hasUnanswered = async (own: Own, orderId: string): Promise<boolean> =>
  (await unanswered(own, { orderId })).length > 0;

export async function listPayments(own: Own, orderId: string, page: Page) {
  await getOrder(own, orderId);
  return payments(own, { orderId }, page);
}

export async function listRefunds(own: Own, orderId: string, page: Page) {
  await getOrder(own, orderId);
  return refunds(own, { orderId }, page);
}

export const findPayment = async (own: Own, id: string): Promise<PaymentRow | undefined> => (await paymentById(own, { id }))[0];
export const findRefund = async (own: Own, id: string): Promise<RefundRow | undefined> => (await refundById(own, { id }))[0];

/** Throws 404. */
export async function getPayment(own: Own, orderId: string, id: string): Promise<PaymentRow> {
  await getOrder(own, orderId);
  const row = await findPayment(own, id);
  if (row?.order_id !== orderId) throw notFound('Payment');
  return row;
}

/** Throws 404. */
export async function getRefund(own: Own, orderId: string, id: string): Promise<RefundRow> {
  await getOrder(own, orderId);
  const row = await findRefund(own, id);
  if (row?.order_id !== orderId) throw notFound('Refund');
  return row;
}

/** SQL: for each payment a sum of a second table, as text, since no JSON number holds it; a refund that is asked for counts until it failed. */
const refundableOf = `
  select p.id,
         p.amount = 0 as is_uncounted,
         (p.amount - coalesce((select sum(r.amount)
                                 from refunds r
                                where r.organization_id = $1 and r.payment_id = p.id and r.status <> 'failed'), 0))::text as left
    from payments p
   where p.organization_id = $1
     and p.order_id = $2
   order by p.created_at desc, p.id desc`;

/** `isUncounted`: money is there, and its amount cannot be said. */
export type Refundable = { id: string; left: bigint; isUncounted: boolean };

/** The payments of an order with what can still be given back of each, the newest first. */
export async function refundable(own: Own, orderId: string): Promise<Refundable[]> {
  const rows = await own.sql<RowOf<typeof Payment, 'id'> & { is_uncounted: boolean; left: string }>(refundableOf, [orderId]);
  return rows.map(({ id, is_uncounted, left }) => ({ id, left: BigInt(left), isUncounted: is_uncounted }));
}
