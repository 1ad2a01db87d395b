import { isDeepStrictEqual } from 'node:util';
import type { InferEntity } from '@mikro-orm/core';
import { now } from '../../platform/database/columns.ts';
import type { Change } from '../../platform/database/own.ts';
import { orderUpdated } from '../../platform/events/commerce-events.ts';
import type { OwnTx } from '../../platform/ledger/tx.ts';
import { assertRevision } from '../../platform/revision.ts';
import type { Attention } from './attention.ts';
import { Order, OrderChange } from './order.entity.ts';
import { getOrder, type OrderRow, orderLock } from './order-row.ts';
import { paymentOf } from './payment-status.ts';

export type OrderValues = Change<InferEntity<typeof Order>>;

/** A transaction that holds an order's lock. Only this file creates one, so the type proves the lock. */
export type OrderTx = OwnTx & {
  /** As it was at the beginning. */
  readonly order: OrderRow;
  readonly actor: string;
  /** With what was `set` so far; what is computed by the database is not known yet. */
  present(): OrderRow;
  /** Columns are written once, at the end; values the order has already are no change. */
  set(values: OrderValues): void;
  /** Raises or settles what a person must look at. */
  attend(code: Attention, isRaised: boolean): void;
  /** A line of the timeline: what happened, beside the columns that changed. Ids, states and amounts only: it outlives an erased person. */
  tell(kind: string, data?: Record<string, unknown>): void;
  /** Rows of sessions, payments or refunds were written: what was paid is computed anew from them. */
  moneyMoved(): void;
};

export type Asked = {
  id: string;
  /** `user:<id>`, `key:<id>`; empty: a provider, or time. */
  actor: string;
  /** The revision that the caller has seen. */
  revision?: number;
};

/**
 * One change of an order: its columns, one revision, and `commerce.order.updated` once if its status or payment status is another at the
 * end. Needs the order's lock. Throws 404, and 409 for another revision.
 */
export async function changeOrder(
  tx: OwnTx,
  { id, actor, revision }: Asked,
  work: (order: OrderTx) => Promise<void> | void,
): Promise<OrderRow> {
  tx.assertLocked(orderLock(id));
  const order = await getOrder(tx, id);
  assertRevision('order', order.revision, revision);
  const values: OrderValues = {};
  const attention = new Set(order.attention);
  const lines: { kind: string; data: Record<string, unknown> }[] = [];
  let hasMoneyMoved = false;
  await work(
    Object.assign(Object.create(tx) as OwnTx, {
      order,
      actor,
      present: () => ({ ...order, ...values }) as OrderRow,
      set: (given: OrderValues) => void Object.assign(values, given),
      attend: (code: Attention, isRaised: boolean) => void (isRaised ? attention.add(code) : attention.delete(code)),
      tell: (kind: string, data: Record<string, unknown> = {}) => void lines.push({ kind, data }),
      moneyMoved() {
        hasMoneyMoved = true;
      },
    }),
  );
  if (hasMoneyMoved) {
    await tx.flush();
    const { isOverpaid, ...paid } = await paymentOf(tx, order);
    Object.assign(values, paid);
    if (isOverpaid) attention.add('overpaid');
    else attention.delete('overpaid');
  }
  values.attention = [...attention].sort();
  const columns = Object.fromEntries(
    Object.entries(values).filter(([name, value]) => !isDeepStrictEqual(order[name as keyof OrderRow], value)),
  );
  for (const { kind, data } of lines) await tx.insert(OrderChange, { order_id: id, kind, actor, data });
  if (Object.keys(columns).length === 0) return order;
  await tx.update(Order, { id }, { ...columns, revision: order.revision + 1, updated_at: now() });
  const row = await getOrder(tx, id);
  tellUpdated(tx, row, order);
  return row;
}

/** Nothing when neither status is another. */
export function tellUpdated(tx: OwnTx, row: OrderRow, before: Pick<OrderRow, 'status' | 'payment_status'> | undefined): void {
  const changed = (['payment_status', 'status'] as const).filter((name) => row[name] !== before?.[name]);
  if (changed.length > 0) tx.emit(orderUpdated, { ...orderState(tx, row), changed });
}

export const orderState = (
  { organizationId }: Pick<OwnTx, 'organizationId'>,
  { id, order_no, status, payment_status }: Pick<OrderRow, 'id' | 'order_no' | 'status' | 'payment_status'>,
) => ({ order_id: id, order_no, status, payment_status, organization_id: organizationId });
