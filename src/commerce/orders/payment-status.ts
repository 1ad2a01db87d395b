import type { Own } from '../../platform/database/own.ts';
import type { RowOf } from '../../platform/database/tables.ts';
import type { PaymentSession } from '../payments/payment.entity.ts';
import type { OrderPaymentStatus } from './order.entity.ts';
import type { OrderRow } from './order-row.ts';

/**
 * SQL: two sums, a look and the newest row, each of its own table, in one round trip. A refund that is asked for counts once it succeeded. Money in another currency
 * than the order's is kept and shown, and pays nothing of it.
 */
const rowsOf = `
  select (select coalesce(sum(p.amount), 0)::text
            from payments p
           where p.organization_id = $1 and p.order_id = $2 and p.currency = $3) as paid,
         (select coalesce(sum(r.amount), 0)::text
            from refunds r
           where r.organization_id = $1 and r.order_id = $2 and r.status = 'succeeded' and r.currency = $3) as refunded,
         exists (
           select 1
             from payment_sessions s
            where s.organization_id = $1 and s.order_id = $2 and s.status in ('creating', 'open', 'unknown')) as has_open,
         (select s.status
            from payment_sessions s
           where s.organization_id = $1 and s.order_id = $2
           order by s.created_at desc, s.id desc
           limit 1) as last_session`;

type Sums = {
  paid: string;
  refunded: string;
  has_open: boolean;
  last_session: RowOf<typeof PaymentSession, 'status'>['status'] | null;
};

export type Paid = {
  paid_amount: string;
  refunded_amount: string;
  payment_status: OrderPaymentStatus;
  isOverpaid: boolean;
};

/** The only place that decides it: a function of sessions, payments and refunds. Needs the order's lock, and rows that are written. */
export async function paymentOf(own: Own, order: Pick<OrderRow, 'id' | 'total_amount' | 'currency'>): Promise<Paid> {
  const [sums] = await own.sql<Sums>(rowsOf, [order.id, order.currency]);
  return statusOf(BigInt(order.total_amount), sums!);
}

export function statusOf(total: bigint, { paid, refunded, has_open, last_session }: Sums): Paid {
  const [had, gave] = [BigInt(paid), BigInt(refunded)];
  const net = had - gave;
  return { paid_amount: paid, refunded_amount: refunded, payment_status: named(), isOverpaid: net > total };

  function named(): OrderPaymentStatus {
    if (gave > 0n) return net >= total ? 'paid' : net > 0n ? 'partially_refunded' : 'refunded';
    if (had >= total && (had > 0n || total === 0n)) return 'paid';
    if (has_open || had > 0n) return 'pending';
    if (last_session === 'failed' || last_session === 'expired') return last_session;
    return 'unpaid';
  }
}
