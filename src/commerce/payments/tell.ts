import { paymentUpdated } from '../../platform/events/commerce-events.ts';
import type { OwnTx } from '../../platform/ledger/tx.ts';
import { countedAs, sessionEnds } from '../tallies.ts';

type Told = {
  orderId: string;
  kind: 'session' | 'payment' | 'refund';
  id: string;
  status: string;
  amount: string;
  currency: string;
};

/** Needs the order's lock. A session that ended is counted. */
export function tellPayment(tx: OwnTx, { orderId, kind, id, status, amount, currency }: Told): void {
  const end = kind === 'session' ? countedAs(sessionEnds, status) : undefined;
  if (end) tx.count(sessionEnds, end);
  const money = { amount: Number(amount), currency };
  tx.emit(paymentUpdated, { order_id: orderId, kind, id, status, ...money, organization_id: tx.organizationId });
}
