import { maxWireAmount } from '../../money/steps.ts';
import { cut } from '../../platform/cut.ts';
import { now } from '../../platform/database/columns.ts';
import { statement } from '../../platform/database/statement.ts';
import { uuidv7 } from '../../platform/ids.ts';
import type { OwnTx } from '../../platform/ledger/tx.ts';
import type { Page, PageStatus, Received } from '../../providers/payment/provider.ts';
import { afterPayment } from '../orders/moves.ts';
import { changeOrder, type OrderTx } from '../orders/order-tx.ts';
import { receivedMinor } from './amounts.ts';
import { Payment, PaymentSession, type PaymentSessionStatus } from './payment.entity.ts';
import { findSession, isLive, type SessionRow } from './session-row.ts';
import { tellPayment } from './tell.ts';

const known = statement((select, { connectionId, paymentId }: { connectionId: string; paymentId: string }) =>
  select(Payment).select('id').where('connection_id', '=', connectionId).where('provider_payment_id', '=', paymentId),
);

/**
 * What was read at the provider, applied. The only road on which a session or its money changes, so that the same again, or something older,
 * changes nothing. `endedAs`: what an ending of ours is called. Needs the order's lock. False: nothing changed.
 */
export async function applyPage(
  own: OwnTx,
  sessionId: string,
  page: Page,
  { endedAs }: { endedAs?: 'cancelled' | 'expired' } = {},
): Promise<boolean> {
  const session = await findSession(own, sessionId);
  if (!session) return false;
  const status = nextStatus(session, page.status, endedAs);
  const isNew = page.received !== null && !(await isKnown(own, session, page.received));
  const pageId = session.provider_session_id ?? page.id;
  const checkoutUrl = status === 'open' && page.url ? page.url : session.checkout_url;
  const isMoved = status !== session.status;
  await own.update(
    PaymentSession,
    { id: session.id },
    {
      checked_at: now(),
      ...((isMoved || isNew || pageId !== session.provider_session_id) && {
        status,
        provider_session_id: pageId,
        checkout_url: checkoutUrl,
        payment_method: page.received?.method || session.payment_method,
        updated_at: now(),
      }),
    },
  );
  if (!isMoved && !isNew) return false;
  await changeOrder(own, { id: session.order_id, actor: '' }, async (order) => {
    if (isNew) await keepPayment(order, session, page.received!);
    if (isMoved) {
      tellPayment(order, { ...session, orderId: session.order_id, kind: 'session', status });
      order.tell('payment_session', { session_id: session.id, from: session.status, to: status });
    }
    order.moneyMoved();
    await order.flush();
    await afterPayment(order);
  });
  return true;
}

/** Money that came wins over every other end; an end is for good; nothing opens again. */
function nextStatus(session: SessionRow, there: PageStatus, endedAs?: 'cancelled' | 'expired'): PaymentSessionStatus {
  if (there === 'completed') return 'completed';
  if (!isLive(session) && session.status !== 'unknown') return session.status;
  if (there === 'open' || there === 'processing') return 'open';
  if (there === 'failed') return 'failed';
  return endedAs ?? (session.is_unwanted || there === 'cancelled' ? 'cancelled' : 'expired');
}

async function isKnown(own: OwnTx, { connection_id: connectionId }: SessionRow, { paymentId }: Received): Promise<boolean> {
  return (await known(own, { connectionId, paymentId })).length > 0;
}

/** Every payment is kept, whatever the order is by now: late ones, surplus, and other amounts than were asked for. */
async function keepPayment(order: OrderTx, session: SessionRow, received: Received): Promise<void> {
  const minor = countable(order, received);
  const amount = minor ?? '0';
  const { currency } = received;
  const id = uuidv7();
  await order.insert(Payment, {
    id,
    order_id: session.order_id,
    session_id: session.id,
    connection_id: session.connection_id,
    provider_payment_id: received.paymentId,
    method: received.method,
    amount,
    currency,
    note: minor === undefined ? `Not counted: the provider says ${received.amount} ${currency}` : '',
  });
  if (received.method) order.set({ payment_method: cut(received.method, 50) });
  if (minor !== session.amount || currency !== session.currency) order.attend('amount_mismatch', true);
  tellPayment(order, { orderId: session.order_id, kind: 'payment', id, status: 'received', amount, currency });
  order.tell('payment', { payment_id: id, session_id: session.id, amount, currency });
}

/** In minor units. Undefined: with what was paid before it is more than a number of the wire can say, or it is no amount. */
function countable({ order }: OrderTx, received: Received): string | undefined {
  const minor = receivedMinor(received);
  const before = received.currency === order.currency ? BigInt(order.paid_amount) : 0n;
  return minor !== undefined && before + BigInt(minor) <= maxWireAmount ? minor : undefined;
}
