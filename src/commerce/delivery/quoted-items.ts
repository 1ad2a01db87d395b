import type { Own } from '../../platform/database/own.ts';
import type { RowOf } from '../../platform/database/tables.ts';
import { AppError, type ErrorDetail, invalidField } from '../../platform/errors.ts';
import type { Product, ProductVariant } from '../catalogue/product.entity.ts';
import type { QuoteItem } from './quote.entity.ts';
import { rupiahOf } from './rupiah.ts';

export type Given = { variant_id: string; quantity: number };

/** SQL: a set of ids as one parameter; the price in rupiah is joined by a constant, and null where the variant has none. */
const variantsStatement = `
  select v.id, v.name, v.weight_grams, v.active and p.active as is_active, p.name as product_name, p.kind, r.amount::text as amount
    from product_variants v
    join products p on p.organization_id = v.organization_id and p.id = v.product_id
    left join variant_prices r on r.organization_id = v.organization_id and r.variant_id = v.id and r.currency = 'IDR'
   where v.organization_id = $1
     and v.id = any($2::uuid[])`;

type Variant = RowOf<typeof ProductVariant, 'id' | 'name' | 'weight_grams'> &
  RowOf<typeof Product, 'kind'> & { is_active: boolean; product_name: string; amount: string | null };

/** What is to be sent, with weight and value. Throws 422 at each item that the shipper could not be told. */
export async function quotedItems(own: Own, given: Given[], field: 'items' | 'draft_order_id'): Promise<QuoteItem[]> {
  const variants = new Map(
    (await own.sql<Variant>(variantsStatement, [given.map(({ variant_id }) => variant_id)])).map((one) => [one.id, one]),
  );
  const details: ErrorDetail[] = [];
  const items = given.flatMap(({ variant_id, quantity }, index) => {
    const variant = variants.get(variant_id);
    const fault = faultOf(variant);
    if (fault) details.push({ field: field === 'items' ? `items[${index}].variant_id` : field, location: 'body', ...fault });
    return variant ? [toItem(variant, quantity)] : [];
  });
  const [first] = details;
  if (first) throw new AppError('invalid_request', first.message, { details });
  if (!items.some(({ is_shipped }) => is_shipped)) throw invalidField(field, 'Nothing of this is shipped', 'items.shipped');
  return items;
}

function faultOf(variant: Variant | undefined): Pick<ErrorDetail, 'code' | 'message'> | undefined {
  if (!variant) return { code: 'reference.unknown', message: 'No variant has this id' };
  if (!variant.is_active) return { code: 'variant.inactive', message: 'It is not sold now' };
  if (variant.kind !== 'physical') return undefined;
  if (variant.weight_grams === null) return { code: 'weight_grams.required', message: 'Its weight is not known' };
  if (variant.amount === null)
    return { code: 'variant.currency', message: 'It has no price in IDR, in which the shipper counts' };
  return undefined;
}

function toItem({ id, name, product_name, kind, weight_grams, amount }: Variant, quantity: number): QuoteItem {
  const isShipped = kind === 'physical';
  return {
    variant_id: id,
    name: name === '' || name === product_name ? product_name : `${product_name}, ${name}`,
    quantity,
    weight_grams: isShipped ? (weight_grams ?? 0) : 0,
    value_idr: isShipped ? rupiahOf(amount ?? '0', 'IDR') : 0,
    is_shipped: isShipped,
  };
}
