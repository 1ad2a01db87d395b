import { randomUUID } from 'node:crypto';
import { uuidv7 } from '../../../src/platform/ids.ts';

type App = { rows(text: string, params?: unknown[]): Promise<unknown>; tenant: { organizationId: string } };

export type VariantMade = { id: string; productId: string; sku: string };

/** A variant of a product of its own, priced in USD unless something else is said. `stock`: counted from there. */
export async function variant(
  app: App,
  {
    organizationId = app.tenant.organizationId,
    kind = 'physical',
    prices = { USD: 5000 },
    stock,
    active = true,
    productName = 'Green tea',
    name = '100 g',
    serviceId = null,
    prepaid = null,
  }: {
    organizationId?: string;
    kind?: 'physical' | 'digital' | 'service';
    prices?: Record<string, number>;
    stock?: number;
    active?: boolean;
    productName?: string;
    name?: string;
    serviceId?: string | null;
    prepaid?: number | null;
  } = {},
): Promise<VariantMade> {
  const [productId, id] = [uuidv7(), uuidv7()];
  const sku = `SKU-${randomUUID().slice(0, 8)}`;
  await app.rows('insert into products (organization_id, id, name, slug, kind) values ($1, $2, $3, $4, $5)', [
    organizationId,
    productId,
    productName,
    `p-${productId}`,
    kind,
  ]);
  await app.rows(
    `insert into product_variants (organization_id, id, product_id, sku, name, active, tracks_stock, on_hand, service_id, prepaid_deliveries,
                                   weight_grams)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, 100)`,
    [organizationId, id, productId, sku, name, active, stock !== undefined, stock ?? 0, serviceId, prepaid],
  );
  for (const [currency, amount] of Object.entries(prices))
    await app.rows('insert into variant_prices (organization_id, variant_id, currency, amount) values ($1, $2, $3, $4)', [
      organizationId,
      id,
      currency,
      amount,
    ]);
  return { id, productId, sku };
}

export async function deliveryMethod(
  app: App,
  {
    organizationId = app.tenant.organizationId,
    kind = 'flat',
    fee = 500,
    freeFrom = null,
    leadDays = 0,
    slots = [],
  }: {
    organizationId?: string;
    kind?: 'pickup' | 'flat' | 'live' | 'none';
    fee?: number;
    freeFrom?: number | null;
    leadDays?: number;
    slots?: { label: string; weekdays?: number[]; capacity?: number | null }[];
  } = {},
): Promise<{ id: string; slots: string[] }> {
  const id = uuidv7();
  await app.rows(
    `insert into delivery_methods (organization_id, id, name, kind, currency, fee_amount, free_from_amount, lead_days)
     values ($1, $2, $3, $4, 'USD', $5, $6, $7)`,
    [organizationId, id, `Method ${kind}`, kind, fee, freeFrom, leadDays],
  );
  const ids = slots.map(() => uuidv7());
  for (const [index, { label, weekdays = [1, 2, 3, 4, 5, 6, 7], capacity = null }] of slots.entries())
    await app.rows(
      `insert into delivery_timeslots (organization_id, id, method_id, label, weekdays, capacity, position)
       values ($1, $2, $3, $4, $5, $6, $7)`,
      [organizationId, ids[index], id, label, weekdays, capacity, index],
    );
  return { id, slots: ids };
}

export async function discount(
  app: App,
  {
    organizationId = app.tenant.organizationId,
    code = `C${randomUUID().slice(0, 8)}`,
    kind = 'percent',
    value = 1000,
    currency = null,
    minSubtotal = 0,
    maxUses = null,
    startsAt = null,
    endsAt = null,
  }: {
    organizationId?: string;
    code?: string;
    kind?: 'percent' | 'fixed' | 'free_delivery';
    value?: number;
    currency?: string | null;
    minSubtotal?: number;
    maxUses?: number | null;
    startsAt?: string | null;
    endsAt?: string | null;
  } = {},
): Promise<{ id: string; code: string }> {
  const id = uuidv7();
  await app.rows(
    `insert into discounts (organization_id, id, code, kind, value, currency, min_subtotal, max_uses, starts_at, ends_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
    [organizationId, id, code, kind, value, currency, minSubtotal, maxUses, startsAt, endsAt],
  );
  return { id, code };
}

export const address = { address: '1 Main St', city: 'Springfield', district: 'Centre', province: 'Illinois' };
