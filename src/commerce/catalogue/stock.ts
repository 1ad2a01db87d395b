import type { RowOf } from '../../platform/database/tables.ts';
import { AppError } from '../../platform/errors.ts';
import type { OwnTx } from '../../platform/ledger/tx.ts';
import type { ProductVariant } from './product.entity.ts';

/** `field`: where the request names it, for the refusal; without it `items`. */
export type StockLine = { itemId: string; variantId: string; quantity: number; field?: string };

/**
 * SQL: one statement for a whole order. The rows are locked in the order of their ids, so that two orders of the same variants never wait
 * for each other, and decided on as they are once locked: the update reads `locked`, never the older version its own snapshot shows. Either
 * every variant has enough or nothing is written.
 */
const reserve = `
  with lines as (
    select l.item_id, l.variant_id, l.quantity
      from unnest($3::uuid[], $4::uuid[], $5::bigint[]) l (item_id, variant_id, quantity)),
  wanted as materialized (
    select l.variant_id, sum(l.quantity)::bigint as quantity
      from lines l
     group by l.variant_id),
  locked as materialized (
    select v.id, v.on_hand - v.reserved as available
      from product_variants v
     where v.organization_id = $1 and v.id = any(array(select w.variant_id from wanted w)) and v.tracks_stock
     order by v.id
       for no key update),
  short as materialized (
    select k.id, k.available
      from locked k
      join wanted w on w.variant_id = k.id
     where k.available < w.quantity),
  changed as (
    update product_variants v
       set reserved = v.reserved + w.quantity
      from locked k
      join wanted w on w.variant_id = k.id
     where v.organization_id = $1 and v.id = k.id and not exists (select 1 from short)
    returning v.id),
  moved as (
    insert into stock_movements (organization_id, id, variant_id, kind, quantity, order_id, order_item_id)
    select $1, uuidv7(), l.variant_id, 'reserve', l.quantity, $2, l.item_id
      from lines l
      join changed c on c.id = l.variant_id)
  select s.id, s.available::text as available
    from short s
   order by s.id`;

/**
 * Of one order's items: summed a variant, in the order of ids. A variant that does not track stock is passed over. Throws 409
 * `out_of_stock` with a detail a variant, whose value is what is available; then nothing is reserved.
 */
export async function reserveStock(tx: OwnTx, orderId: string, lines: StockLine[]): Promise<void> {
  if (lines.length === 0) return;
  const short = await tx.sql<RowOf<typeof ProductVariant, 'id'> & { available: string }>(reserve, [
    orderId,
    lines.map(({ itemId }) => itemId),
    lines.map(({ variantId }) => variantId),
    lines.map(({ quantity }) => quantity),
  ]);
  if (short.length === 0) return;
  const details = short.map(({ id, available }) => ({
    field: lines.find(({ variantId }) => variantId === id)?.field ?? 'items',
    location: 'body',
    code: 'out_of_stock',
    message: `Of the variant ${id} ${available} are available`,
    value: available,
  }));
  throw new AppError('out_of_stock', 'There is not enough in stock', { details });
}

type Settlement = 'release' | 'commit' | 'restock';

/** What a piece was before, what ends it, and what it does to the counts of its variant. */
const settlements: Record<Settlement, { after: string; unless: string; set: string }> = {
  release: { after: 'reserve', unless: `'release', 'commit'`, set: 'reserved = v.reserved - w.quantity' },
  commit: {
    after: 'reserve',
    unless: `'release', 'commit'`,
    set: 'on_hand = v.on_hand - w.quantity, reserved = v.reserved - w.quantity',
  },
  restock: { after: 'commit', unless: `'restock'`, set: 'on_hand = v.on_hand + w.quantity' },
};

/**
 * SQL: the movements of the order say what is to be settled, so what is settled already is passed over, and a variant that tracks no stock
 * any more still gives back what it had reserved. Locked in the order of ids, as above.
 */
const settle = ({ after, unless, set }: (typeof settlements)[Settlement], kind: Settlement) => `
  with moves as materialized (
    select m.order_item_id as item_id, m.variant_id, m.quantity
      from order_items i
      join stock_movements m on m.organization_id = i.organization_id and m.order_item_id = i.id and m.kind = '${after}'
     where i.organization_id = $1 and i.order_id = $2
       and not exists (
             select 1
               from stock_movements d
              where d.organization_id = i.organization_id and d.order_item_id = i.id and d.kind in (${unless}))),
  wanted as materialized (
    select m.variant_id, sum(m.quantity)::bigint as quantity
      from moves m
     group by m.variant_id),
  locked as materialized (
    select v.id
      from product_variants v
     where v.organization_id = $1 and v.id = any(array(select w.variant_id from wanted w))
     order by v.id
       for no key update),
  changed as (
    update product_variants v
       set ${set}
      from locked k
      join wanted w on w.variant_id = k.id
     where v.organization_id = $1 and v.id = k.id
    returning v.id)
  insert into stock_movements (organization_id, id, variant_id, kind, quantity, order_id, order_item_id, actor)
  select $1, uuidv7(), m.variant_id, '${kind}', m.quantity, $2, m.item_id, $3
    from moves m
    join changed c on c.id = m.variant_id`;

const statements = {
  release: settle(settlements.release, 'release'),
  commit: settle(settlements.commit, 'commit'),
  restock: settle(settlements.restock, 'restock'),
};

/** Takes back what was reserved: the pieces can be sold again. Once an item. Needs the order's lock. */
export async function releaseStock(tx: OwnTx, orderId: string): Promise<void> {
  await tx.sql(statements.release, [orderId, '']);
}

/** What was reserved has left the house. Once an item. Needs the order's lock. */
export async function commitStock(tx: OwnTx, orderId: string): Promise<void> {
  await tx.sql(statements.commit, [orderId, '']);
}

/** What had left the house is back and can be sold again. Once an item. Needs the order's lock. */
export async function restockOrder(tx: OwnTx, orderId: string, actor: string): Promise<void> {
  await tx.sql(statements.restock, [orderId, actor]);
}
