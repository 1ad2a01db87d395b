import { sql } from 'kysely';
import { isPayable, notPayable } from '../../money/steps.ts';
import { now } from '../../platform/database/columns.ts';
import { violatedConstraint } from '../../platform/database/errors.ts';
import { statement } from '../../platform/database/statement.ts';
import { AppError, type ErrorDetail, invalidField, notFound } from '../../platform/errors.ts';
import { uuidv7 } from '../../platform/ids.ts';
import type { OwnTx } from '../../platform/ledger/tx.ts';
import { Service } from '../bookings/service.entity.ts';
import { lookAgain } from '../look-again.ts';
import { ProductVariant } from './product.entity.ts';
import { changeStock } from './stock-by-hand.ts';
import { getVariant, type Prices, type VariantRow } from './variant-row.ts';

export const maxVariants = 200;

const countOf = statement((select, { productId }: { productId: string }) =>
  select(ProductVariant).select(sql<number>`count(*)::int`.as('total')).where('product_id', '=', productId),
);
const serviceById = statement((select, { id }: { id: string }) => select(Service).select('id').where('id', '=', id));

type Values = Pick<
  VariantRow,
  'sku' | 'name' | 'active' | 'position' | 'weight_grams' | 'tracks_stock' | 'service_id' | 'prepaid_deliveries'
>;
export type NewVariant = Values & { prices: Prices; on_hand: number };
export type VariantPatch = Partial<Values & { prices: Prices }>;

/** What can be ordered can be paid. Throws 422 at each price that is no multiple of its currency's step. */
export function assertPrices(prices: Prices): void {
  const details = Object.entries(prices).flatMap(([currency, amount]): ErrorDetail[] =>
    isPayable(BigInt(amount), currency)
      ? []
      : [
          {
            field: `prices.${currency}`,
            location: 'body',
            code: 'amount.step',
            message: notPayable(currency),
          },
        ],
  );
  if (details.length > 0) throw new AppError('invalid_request', 'A price cannot be paid exactly', { details });
}

/**
 * Throws 404 for its product, 409 for the sku of another one, 422. SQL: `for no key update` of the product makes the limit exact; what is there is counted by
 * a second statement, since the first one's snapshot is older than its wait.
 */
export async function createVariant(
  tx: OwnTx,
  productId: string,
  { prices, on_hand, ...values }: NewVariant,
  actor: string,
): Promise<VariantRow> {
  assertPrices(prices);
  const [product] = await tx.sql(
    `select 1
       from products
      where organization_id = $1 and id = $2
        for no key update`,
    [productId],
  );
  if (!product) throw notFound('Product');
  const [counted] = await countOf(tx, { productId });
  if (counted!.total >= maxVariants) throw new AppError('limit_reached', `A product has at most ${maxVariants} variants`);
  await assertService(tx, values.service_id);
  const id = uuidv7();
  await tx.insert(ProductVariant, { id, product_id: productId, ...values }).catch(refusedVariant);
  await setPrices(tx, id, prices);
  if (on_hand > 0) await changeStock(tx, id, { on_hand, reason: 'created' }, actor);
  return getVariant(tx, id);
}

/** What is not given stays; prices are replaced together. Throws 404, 409, 422. */
export async function changeVariant(tx: OwnTx, id: string, { prices, ...values }: VariantPatch): Promise<VariantRow> {
  if (prices) assertPrices(prices);
  if (values.service_id !== undefined) await assertService(tx, values.service_id);
  // The row's lock also orders two changes of its prices.
  const changed = await tx.update(ProductVariant, { id }, { ...values, updated_at: now() }).catch(refusedVariant);
  if (changed === 0) throw notFound('Variant');
  if (prices) await setPrices(tx, id, prices);
  return getVariant(tx, id);
}

/** Orders keep what they copied. Throws 404. */
export async function deleteVariant(tx: OwnTx, id: string): Promise<void> {
  if ((await tx.delete(ProductVariant, { id })) === 0) throw notFound('Variant');
}

/** SQL: sets, in two statements whatever their number; on conflict, since what stays may have another amount. */
async function setPrices(tx: OwnTx, id: string, prices: Prices): Promise<void> {
  await tx.sql(
    `delete from variant_prices
      where organization_id = $1 and variant_id = $2 and currency <> all($3::text[])`,
    [id, Object.keys(prices)],
  );
  await tx.sql(
    `insert into variant_prices (organization_id, variant_id, currency, amount)
     select $1, $2, p.currency, p.amount
       from unnest($3::text[], $4::bigint[]) p (currency, amount)
     on conflict on constraint variant_prices_pkey do update
        set amount = excluded.amount`,
    [id, Object.keys(prices), Object.values(prices)],
  );
}

async function assertService(tx: OwnTx, id: string | null): Promise<void> {
  if (id === null) return;
  const [service] = await serviceById(tx, { id });
  if (!service) throw invalidField('service_id', 'No service has this id', 'reference.unknown');
}

function refusedVariant(error: unknown): never {
  if (violatedConstraint(error) !== 'product_variants_sku') return lookAgain(error);
  const message = 'Another variant has this sku';
  throw new AppError('conflict', message, { details: [{ field: 'sku', location: 'body', code: 'sku.taken', message }] });
}
