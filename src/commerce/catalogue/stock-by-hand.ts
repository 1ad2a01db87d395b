import { maxWireAmount } from '../../money/steps.ts';
import type { Own } from '../../platform/database/own.ts';
import { statement } from '../../platform/database/statement.ts';
import type { RowOf } from '../../platform/database/tables.ts';
import { AppError, notFound } from '../../platform/errors.ts';
import type { OwnTx } from '../../platform/ledger/tx.ts';
import { list, type Page } from '../../platform/listing/paging.ts';
import { ProductVariant } from './product.entity.ts';
import { StockMovement } from './stock-movement.entity.ts';

export type StockChange = ({ delta: number; on_hand?: undefined } | { on_hand: number; delta?: undefined }) & { reason?: string };

/**
 * A person has counted, bought or thrown away: one movement, none where nothing changes. Throws 404, 409 below what orders have reserved.
 * SQL: `for no key update`, the lock of reserveStock; of one variant alone it is in its order.
 */
export async function changeStock(
  tx: OwnTx,
  id: string,
  { delta, on_hand, reason = '' }: StockChange,
  actor: string,
): Promise<void> {
  const [row] = await tx.sql<RowOf<typeof ProductVariant, 'on_hand' | 'reserved'>>(
    `select on_hand, reserved
       from product_variants
      where organization_id = $1 and id = $2
        for no key update`,
    [id],
  );
  if (!row) throw notFound('Variant');
  const before = BigInt(row.on_hand);
  const after = on_hand === undefined ? before + BigInt(delta!) : BigInt(on_hand);
  if (after < BigInt(row.reserved)) throw belowReserved(on_hand === undefined ? 'delta' : 'on_hand', row.reserved);
  if (after > maxWireAmount) throw new AppError('limit_reached', `A variant has at most ${maxWireAmount} pieces`);
  if (after === before) return;
  await tx.update(ProductVariant, { id }, { on_hand: String(after) });
  await tx.insert(StockMovement, { variant_id: id, kind: 'adjust', quantity: String(after - before), reason, actor });
}

function belowReserved(field: string, reserved: string) {
  const message = `Orders have reserved ${reserved}`;
  return new AppError('conflict', 'The stock cannot be below what is reserved', {
    details: [{ field, location: 'body', code: 'stock.reserved', message, value: reserved }],
  });
}

const ofVariant = list((select, { variantId }: { variantId: string }) =>
  select(StockMovement)
    .select(['id', 'kind', 'quantity', 'order_id', 'order_item_id', 'reason', 'actor', 'created_at'])
    .where('variant_id', '=', variantId),
);
const byId = statement((select, { id }: { id: string }) => select(ProductVariant).select('id').where('id', '=', id));

export type MovementRow = Awaited<ReturnType<typeof ofVariant>>['rows'][number];

/** Newest first. Throws 404. */
export async function listMovements(own: Own, variantId: string, page: Page) {
  const [variant] = await byId(own, { id: variantId });
  if (!variant) throw notFound('Variant');
  return ofVariant(own, { variantId }, page);
}
