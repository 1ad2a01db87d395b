import type { Own } from '../../platform/database/own.ts';
import { notFound } from '../../platform/errors.ts';
import { type Ask, type Page, type PageRows, pageAskedFor } from '../../platform/listing/paging.ts';

export type Prices = Record<string, number>;
export type VariantRow = {
  id: string;
  product_id: string;
  sku: string;
  name: string;
  active: boolean;
  position: number;
  weight_grams: number | null;
  /** By currency. A number is exact: a check of the table bounds it. */
  prices: Prices;
  tracks_stock: boolean;
  on_hand: string;
  reserved: string;
  service_id: string | null;
  prepaid_deliveries: number | null;
  created_at: string;
  updated_at: string;
};

/** SQL: the prices of a variant come with it. */
const variants = `
  select v.id, v.product_id, v.sku, v.name, v.active, v.position, v.weight_grams, v.tracks_stock, v.on_hand, v.reserved, v.service_id,
         v.prepaid_deliveries, v.created_at, v.updated_at,
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
