import { connectionDeleted } from '../../connections/deleted.ts';
import { now } from '../../platform/database/columns.ts';
import type { OwnTx } from '../../platform/ledger/tx.ts';
import { changeOrder, type OrderTx } from '../orders/order-tx.ts';
import { type PaymentFailure, PaymentSession } from './payment.entity.ts';
import { findSession, isLive, openSessions, type SessionRow } from './session-row.ts';
import { tellPayment } from './tell.ts';

type End = 'failed' | 'expired' | 'cancelled' | 'unknown';

/** An end that the provider was not asked about: nobody got a page, or nobody can be asked. Needs the order's lock. */
export async function endSession(own: OwnTx, id: string, status: End, failure: PaymentFailure | null = null): Promise<void> {
  const session = await findSession(own, id);
  if (!session || session.status === status || !(isLive(session) || session.status === 'unknown')) return;
  await changeOrder(own, { id: session.order_id, actor: '' }, (order) => end(order, session, { status, failure }));
}

/**
 * Its connection was deleted: whoever has its page may have paid there, or may still, and nobody can be asked. It keeps nobody waiting, and a
 * person looks at the provider. Needs the order's lock.
 */
export async function leaveSession(own: OwnTx, id: string, status: 'expired' | 'cancelled'): Promise<void> {
  const session = await findSession(own, id);
  if (!session || !isLive(session)) return;
  await changeOrder(own, { id: session.order_id, actor: '' }, async (order) => {
    await end(order, session, { status, failure: { ...connectionDeleted, provider_code: null }, checkout_url: '' });
    if (session.checkout_url !== '') order.attend('payment_unanswered', true);
  });
}

type Ended = { status: End; failure: PaymentFailure | null; checkout_url?: string };

async function end(order: OrderTx, session: SessionRow, values: Ended): Promise<void> {
  const { status, failure } = values;
  const { id } = session;
  await order.update(PaymentSession, { id }, { ...values, updated_at: now() });
  tellPayment(order, { ...session, orderId: session.order_id, kind: 'session', status });
  order.tell('payment_session', { session_id: id, from: session.status, to: status, ...(failure && { code: failure.code }) });
  order.moneyMoved();
}

/** Nobody got a page from it. Needs the order's lock. */
export async function failCreating(own: OwnTx, orderId: string, failure: PaymentFailure): Promise<void> {
  const creating = (await openSessions(own, orderId)).find(({ status }) => status === 'creating');
  if (creating) await endSession(own, creating.id, 'failed', failure);
}

export const isOver = ({ expires_at }: Pick<SessionRow, 'expires_at'>, nowMs: number) => Date.parse(expires_at) <= nowMs;
