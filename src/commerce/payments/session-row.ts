import type { Own } from '../../platform/database/own.ts';
import { statement } from '../../platform/database/statement.ts';
import type { RowOf } from '../../platform/database/tables.ts';
import { notFound } from '../../platform/errors.ts';
import { list, type Page } from '../../platform/listing/paging.ts';
import { getOrder } from '../orders/order-row.ts';
import { PaymentSession } from './payment.entity.ts';

export const sessionColumns = [
  'id',
  'order_id',
  'connection_id',
  'provider',
  'reference_id',
  'status',
  'is_unwanted',
  'amount',
  'currency',
  'provider_session_id',
  'payment_method',
  'checkout_url',
  'success_url',
  'cancel_url',
  'expires_at',
  'asked_at',
  'checked_at',
  'checks',
  'failure',
  'created_at',
  'updated_at',
] as const;

export type SessionRow = RowOf<typeof PaymentSession, (typeof sessionColumns)[number]>;

/** Of which a person may still pay, or is about to. */
export const liveStatuses = ['creating', 'open'] as const;
export const isLive = ({ status }: Pick<SessionRow, 'status'>) => status === 'creating' || status === 'open';

const byId = statement((select, { id }: { id: string }) => select(PaymentSession).select(sessionColumns).where('id', '=', id));

const ofOrder = statement((select, { orderId }: { orderId: string }) =>
  select(PaymentSession)
    .select(sessionColumns)
    .where('order_id', '=', orderId)
    .where('status', 'in', ['creating', 'open', 'unknown'])
    .orderBy('created_at')
    .orderBy('id'),
);

const newest = statement((select, { orderId }: { orderId: string }) =>
  select(PaymentSession)
    .select(sessionColumns)
    .where('order_id', '=', orderId)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1),
);

const sessions = list((select, { orderId }: { orderId: string }) =>
  select(PaymentSession).select(sessionColumns).where('order_id', '=', orderId),
);

export async function findSession(own: Own, id: string): Promise<SessionRow | undefined> {
  const [row] = await byId(own, { id });
  return row;
}

/** Those that have not ended, the oldest first. */
export const openSessions = (own: Own, orderId: string): Promise<SessionRow[]> => ofOrder(own, { orderId });

/** Throws 404. */
export async function getSession(own: Own, orderId: string, id: string): Promise<SessionRow> {
  await getOrder(own, orderId);
  const row = await findSession(own, id);
  if (!row || row.order_id !== orderId) throw notFound('Payment session');
  return row;
}

/** The one a person can pay, else the last one. Throws 404. */
export async function currentSession(own: Own, orderId: string): Promise<SessionRow> {
  const live = (await openSessions(own, orderId)).find((row) => isLive(row) && !row.is_unwanted);
  const [last] = live ? [live] : await newest(own, { orderId });
  if (!last) throw notFound('Payment session');
  return last;
}

export async function listSessions(own: Own, orderId: string, page: Page) {
  await getOrder(own, orderId);
  return sessions(own, { orderId }, page);
}
