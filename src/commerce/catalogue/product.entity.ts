import { defineEntity, p } from '@mikro-orm/core';
import { computed, tenant, times } from '../../platform/database/columns.ts';

export const productKinds = ['physical', 'digital', 'service'] as const;
export type ProductKind = (typeof productKinds)[number];

export const Product = defineEntity({
  name: 'Product',
  tableName: 'products',
  properties: {
    ...tenant(),
    name: p.text(),
    slug: p.text(),
    description: p.text().default(''),
    kind: p.enum(productKinds),
    active: p.boolean().default(true),
    images: p.array<string>().columnType('uuid[]').defaultRaw(`'{}'`),
    metadata: p.json<Record<string, unknown>>().defaultRaw(`'{}'`),
    search: computed(`(' ' || searchable(name)) stored`),
    ...times(),
  },
});

export const ProductCategory = defineEntity({
  name: 'ProductCategory',
  tableName: 'product_categories',
  properties: {
    organization_id: p.uuid().primary(),
    product_id: p.uuid().primary(),
    category_id: p.uuid().primary(),
  },
});

export const ProductVariant = defineEntity({
  name: 'ProductVariant',
  tableName: 'product_variants',
  properties: {
    ...tenant(),
    product_id: p.uuid(),
    sku: p.text(),
    name: p.text(),
    active: p.boolean().default(true),
    position: p.integer().default(0),
    weight_grams: p.integer().strictNullable(),
    tracks_stock: p.boolean().default(false),
    on_hand: p.bigint('string').defaultRaw(`0`),
    reserved: p.bigint('string').defaultRaw(`0`),
    service_id: p.uuid().strictNullable(),
    prepaid_deliveries: p.integer().strictNullable(),
    ...times(),
  },
});

export const VariantPrice = defineEntity({
  name: 'VariantPrice',
  tableName: 'variant_prices',
  properties: {
    organization_id: p.uuid().primary(),
    variant_id: p.uuid().primary(),
    currency: p.text().primary(),
    amount: p.bigint('string'),
  },
});
