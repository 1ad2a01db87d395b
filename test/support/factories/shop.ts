import { uuidv7 } from '../../../src/platform/ids.ts';
import type { App } from '../app.ts';

type Rows = Pick<App, 'rows'>;

/** A product with one variant that tracks its stock. */
export async function stockedVariant(
  app: Rows,
  organizationId: string,
  { onHand = 0, reserved = 0, tracksStock = true, prices = { USD: 1000 } as Record<string, number> } = {},
): Promise<string> {
  const [productId, id] = [uuidv7(), uuidv7()];
  await app.rows(`insert into products (organization_id, id, name, slug, kind) values ($1, $2, 'Soap', $3, 'physical')`, [
    organizationId,
    productId,
    `soap-${productId}`,
  ]);
  await app.rows(
    `insert into product_variants (organization_id, id, product_id, sku, name, tracks_stock, on_hand, reserved)
     values ($1, $2, $3, $4, 'Large', $5, $6, $7)`,
    [organizationId, id, productId, `SOAP-${id}`, tracksStock, onHand, reserved],
  );
  for (const [currency, amount] of Object.entries(prices))
    await app.rows('insert into variant_prices (organization_id, variant_id, currency, amount) values ($1, $2, $3, $4)', [
      organizationId,
      id,
      currency,
      amount,
    ]);
  return id;
}

export type BareOrder = { id: string; items: { itemId: string; variantId: string; quantity: number }[] };

/** An order's rows alone, as a conversion leaves them; nothing is reserved for it. */
export async function bareOrder(
  app: Rows,
  organizationId: string,
  lines: { variantId: string; quantity: number }[] = [],
): Promise<BareOrder> {
  const id = uuidv7();
  await app.rows(
    `insert into orders (organization_id, id, order_no, currency, delivery_fee_amount, discount_amount, subtotal_amount, total_amount)
     values ($1, $2, $3, 'USD', 0, 0, 0, 0)`,
    [organizationId, id, id],
  );
  const items = lines.map((line) => ({ ...line, itemId: uuidv7() }));
  for (const [position, { itemId, variantId, quantity }] of items.entries())
    await app.rows(
      `insert into order_items (organization_id, id, order_id, position, variant_id, sku, name, quantity, unit_amount, discount_amount,
              total_amount, tracks_stock, is_shipped)
       values ($1, $2, $3, $4, $5, 'SOAP', 'Soap', $6, 0, 0, 0, true, true)`,
      [organizationId, itemId, id, position, variantId, quantity],
    );
  return { id, items };
}
