import type { Own } from '../platform/database/own.ts';
import type { RowOf } from '../platform/database/tables.ts';
import { list, type Page } from '../platform/listing/paging.ts';
import { getDelivery } from './deliveries.ts';
import { type Delivery, DeliveryAttempt } from './endpoint.entity.ts';

const columns = [
  'id',
  'number',
  'trigger',
  'status',
  'duration_ms',
  'phase',
  'phases',
  'error_class',
  'error',
  'response_head',
  'created_at',
] as const;
export type AttemptRow = RowOf<typeof DeliveryAttempt, (typeof columns)[number]> & RowOf<typeof Delivery, 'next_attempt_at'>;

const attempts = list((select, { deliveryId }: { deliveryId: string }) =>
  select(DeliveryAttempt).select(columns).where('delivery_id', '=', deliveryId),
);

/** Newest first. What comes next stands with the last one. */
export async function listAttempts(own: Own, deliveryId: string, page: Page) {
  const delivery = await getDelivery(own, deliveryId);
  const { rows, total } = await attempts(own, { deliveryId }, page);
  const next = (number: number) => (number === delivery.attempts ? delivery.next_attempt_at : null);
  return { rows: rows.map((row): AttemptRow => ({ ...row, next_attempt_at: next(row.number) })), total };
}
