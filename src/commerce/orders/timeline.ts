import type { Own } from '../../platform/database/own.ts';
import type { RowOf } from '../../platform/database/tables.ts';
import { list, type Page } from '../../platform/listing/paging.ts';
import { OrderChange } from './order.entity.ts';
import { getOrder } from './order-row.ts';

const columns = ['id', 'kind', 'actor', 'data', 'created_at'] as const;
export type OrderChangeRow = RowOf<typeof OrderChange, (typeof columns)[number]>;

export const changesOf = list<{ orderId: string }, OrderChangeRow>((select, { orderId }) =>
  select(OrderChange).select(columns).where('order_id', '=', orderId),
);

/** Newest first. Throws 404. */
export async function listChanges(own: Own, orderId: string, page: Page) {
  await getOrder(own, orderId);
  return changesOf(own, { orderId }, page);
}
