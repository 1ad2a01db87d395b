import type { Own } from '../../platform/database/own.ts';
import type { RowOf } from '../../platform/database/tables.ts';
import { notFound } from '../../platform/errors.ts';
import { type Ask, type Page, type PageRows, pageAskedFor } from '../../platform/listing/paging.ts';
import type { ProductVariant } from './product.entity.ts';

export type Prices = Record<string, number>;

const columns = [
  'id',
  'product_id',
  'sku',
  'name',
  'active',
  'position',
  'weight_grams',
  'tracks_stock',
  'on_hand',
  'reserved',
  'service_id',
  'prepaid_deliveries',
  'created_at',
  'updated_at',
] as const;
export type VariantRow = RowOf<typeof ProductVariant, (typeof columns)[number]> & {
  /** By currency. A number is exact: a check of the table bounds it. */
  prices: Prices;
};

/** SQL: one text for one variant and for a page of them; their prices are one object made of a second table. */
const variants = `
  select ${columns.map((column) => `v.${column}`).join(', ')},
         (select coalesce(jsonb_object_agg(p.currency, p.amount), '{}')
            from variant_prices p
           where p.organization_id = v.organization_id and p.variant_id = v.id) as prices
    from product_variants v
   where v.organization_id = $1`;

/** Throws 404. */
export async function getVariant(own: Own, id: string): Promise<VariantRow> {
  const [row] = await own.sql<VariantRow>(`${variants} and v.id = $2`, [id]);
  if (!row) throw notFound('Variant');
  return row;
}

export const listVariants = (own: Own, ask: Ask, productId: string, page: Page): Promise<PageRows<VariantRow>> =>
  pageAskedFor<VariantRow>(ask, `${variants} and v.product_id = $2`, [own.organizationId, productId], page);
