import type { Own } from '../../platform/database/own.ts';
import { statement } from '../../platform/database/statement.ts';
import type { PaymentHint } from '../../providers/payment/provider.ts';
import { Payment, PaymentSession, Refund } from './payment.entity.ts';
import { findRefund, type RefundRow } from './refund-row.ts';
import { findSession, type SessionRow } from './session-row.ts';

type OfConnection = { connectionId: string; id: string };

const byPage = statement((select, { connectionId, id }: OfConnection) =>
  select(PaymentSession).select('id').where('connection_id', '=', connectionId).where('provider_session_id', '=', id),
);
const byReference = statement((select, { connectionId, id }: OfConnection) =>
  select(PaymentSession).select('id').where('reference_id', '=', id).where('connection_id', '=', connectionId),
);
const byPayment = statement((select, { connectionId, id }: OfConnection) =>
  select(Payment).select('session_id as id').where('connection_id', '=', connectionId).where('provider_payment_id', '=', id),
);
const refundsOfPayment = statement((select, { connectionId, id }: OfConnection) =>
  select(Refund, Payment)
    .innerJoin('payments', 'payments.id', 'refunds.payment_id')
    .select('refunds.id')
    .where('payments.connection_id', '=', connectionId)
    .where('payments.provider_payment_id', '=', id),
);

/** The session that a webhook may be about, among those of its connection. */
export async function sessionOfHint(own: Own, connectionId: string, hint: PaymentHint): Promise<SessionRow | undefined> {
  const roads = [
    [byPage, hint.pageId],
    [byReference, hint.reference],
    [byPayment, hint.paymentId],
  ] as const;
  for (const [road, id] of roads) {
    const [row] = id === undefined ? [] : await road(own, { connectionId, id });
    if (row?.id) return findSession(own, row.id);
  }
  return undefined;
}

const isUuid = (text: string) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text);

/** The refund that a webhook may be about: by our own id, else by the provider's among those of the payment. */
export async function refundOfHint(own: Own, connectionId: string, hint: PaymentHint): Promise<RefundRow | undefined> {
  const named = hint.refundKey !== undefined && isUuid(hint.refundKey) ? await findRefund(own, hint.refundKey) : undefined;
  if (named?.connection_id === connectionId) return named;
  if (hint.paymentId === undefined || hint.refundId === undefined) return undefined;
  const ids = await refundsOfPayment(own, { connectionId, id: hint.paymentId });
  const refunds = await Promise.all(ids.map(({ id }) => findRefund(own, id)));
  return refunds.find((one) => one?.provider_refund_id === hint.refundId);
}
