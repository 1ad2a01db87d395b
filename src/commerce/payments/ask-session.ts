import { pacedPool } from '../../connections/paces.ts';
import { isConnectionThere } from '../../connections/queries.ts';
import { connectionPool, usableConnection } from '../../connections/use.ts';
import { statement } from '../../platform/database/statement.ts';
import { AppError, invalidField } from '../../platform/errors.ts';
import { uuidv7 } from '../../platform/ids.ts';
import { Job } from '../../platform/ledger/jobs.entity.ts';
import type { OwnTx } from '../../platform/ledger/tx.ts';
import { now as nowMs } from '../../platform/time/clock.ts';
import type { PaymentProviderName } from '../../providers/payment/provider.ts';
import { type OrderRow, orderLane } from '../orders/order-row.ts';
import type { OrderTx } from '../orders/order-tx.ts';
import { assertExpressible } from './amounts.ts';
import { cancelPaymentSessionJob, checkPaymentJob, createPaymentSessionJob } from './jobs.ts';
import { PaymentSession } from './payment.entity.ts';
import { isLive, openSessions, type SessionRow } from './session-row.ts';

export type SessionRequest = { connection_id?: string; success_url?: string; cancel_url?: string; expires_in: number };

const firstCheckMs = 120_000;
/** A page that is over in a moment is of no use to anybody. */
const leastLeftMs = 60_000;

const liveJob = statement((select, { lane, name }: { lane: string; name: string }) =>
  select(Job)
    .select('id')
    .where('lane', '=', lane)
    .where('name', '=', name)
    .where('state', 'in', ['blocked', 'waiting', 'queued'])
    .orderBy('seq', 'desc')
    .limit(1),
);

/** What is still owed. */
export const dueOf = ({ total_amount, paid_amount, refunded_amount }: OrderRow): bigint =>
  BigInt(total_amount) - BigInt(paid_amount) + BigInt(refunded_amount);

/**
 * The order's one live session: the one there is, if it asks for what is owed now, else a new one, before which the old one is ended at
 * the provider. `returnUrl`: where the customer comes back to when nothing else was said. Throws 409 for an order that is paid or cancelled.
 */
export async function askForSession(
  order: OrderTx,
  given: SessionRequest,
  returnUrl: string | undefined,
): Promise<{ operationId?: string }> {
  const row = order.present();
  const due = dueOf(row);
  if (row.status === 'cancelled') throw new AppError('conflict', 'The order is cancelled: nothing is to be paid');
  if (due <= 0n) throw new AppError('conflict', `The order is ${row.payment_status}: nothing is left to be paid`);
  const amount = String(due);
  const live = (await openSessions(order, row.id)).find((one) => isLive(one) && !one.is_unwanted);
  if (live && isSame(live, amount, given) && (await isConnectionThere(order, live.connection_id)))
    return live.status === 'creating' ? joined(order, row.id) : {};
  const connection = await usableConnection(order, {
    kind: 'payment',
    ...(given.connection_id !== undefined && { id: given.connection_id }),
  });
  assertExpressible(connection.provider as PaymentProviderName, amount, row.currency);
  const successUrl = given.success_url ?? textOf(connection.settings.success_url) ?? returnUrl;
  if (successUrl === undefined)
    throw invalidField(
      'success_url',
      'Say where the customer comes back to: the installation has no address of its own',
      'required',
    );
  if (live) await order.update(PaymentSession, { id: live.id }, { is_unwanted: true });
  await addSession(order, {
    connectionId: connection.id,
    provider: connection.provider,
    amount,
    currency: row.currency,
    successUrl,
    cancelUrl: given.cancel_url ?? textOf(connection.settings.cancel_url) ?? successUrl,
    expiresInMs: given.expires_in * 1000,
  });
  order.moneyMoved();
  return { operationId: await enqueueOf(order, connection.id, createPaymentSessionJob, row.id) };
}

const textOf = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined);

const isSame = (live: SessionRow, amount: string, { connection_id }: SessionRequest) =>
  live.amount === amount &&
  (connection_id === undefined || live.connection_id === connection_id) &&
  (live.status === 'creating' || Date.parse(live.expires_at) > nowMs() + leastLeftMs);

async function joined(own: OwnTx, orderId: string): Promise<{ operationId?: string }> {
  const [job] = await liveJob(own, { lane: orderLane('payment', orderId), name: createPaymentSessionJob.name });
  return job ? { operationId: job.id } : {};
}

type NewSession = {
  connectionId: string;
  provider: string;
  amount: string;
  currency: string;
  successUrl: string;
  cancelUrl: string;
  expiresInMs: number;
};

/** Its id is our reference at the provider. */
async function addSession(order: OrderTx, session: NewSession): Promise<void> {
  const id = uuidv7();
  await order.insert(PaymentSession, {
    id,
    order_id: order.order.id,
    connection_id: session.connectionId,
    provider: session.provider,
    reference_id: id,
    amount: session.amount,
    currency: session.currency,
    success_url: session.successUrl,
    cancel_url: session.cancelUrl,
    expires_at: new Date(nowMs() + session.expiresInMs).toISOString(),
  });
}

type OfOrder = typeof createPaymentSessionJob | typeof cancelPaymentSessionJob;

async function enqueueOf(own: OwnTx, connectionId: string, contract: OfOrder, orderId: string): Promise<string> {
  const pool = await pacedPool(own, 'payment', connectionId);
  return own.enqueue(contract, { order_id: orderId }, { lane: orderLane('payment', orderId), pool });
}

/** For an order that is cancelled by hand: nobody is to pay it any more. What was paid meanwhile is counted and shown. */
export async function callOffSessions(order: OrderTx): Promise<void> {
  const { id } = order.order;
  const live = (await openSessions(order, id)).filter((one) => isLive(one) && !one.is_unwanted);
  for (const session of live) {
    await order.update(PaymentSession, { id: session.id }, { is_unwanted: true });
    await enqueueOf(order, session.connection_id, cancelPaymentSessionJob, id);
  }
}

/** The first look at a session, should no webhook come. */
export function watchSession(own: OwnTx, { id, connection_id }: Pick<SessionRow, 'id' | 'connection_id'>): void {
  own.enqueue(checkPaymentJob, { session_id: id }, { pool: connectionPool(connection_id), delayMs: firstCheckMs });
}
