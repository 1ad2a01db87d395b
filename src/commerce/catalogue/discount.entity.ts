import { defineEntity, p } from '@mikro-orm/core';
import { tenant, times, timestamp } from '../../platform/database/columns.ts';

export const discountKinds = ['percent', 'fixed', 'free_delivery'] as const;
export type DiscountKind = (typeof discountKinds)[number];

export const Discount = defineEntity({
  name: 'Discount',
  tableName: 'discounts',
  properties: {
    ...tenant(),
    code: p.text(),
    kind: p.enum(discountKinds),
    value: p.bigint('string'),
    currency: p.text().strictNullable(),
    starts_at: timestamp().strictNullable(),
    ends_at: timestamp().strictNullable(),
    min_subtotal: p.bigint('string').defaultRaw(`0`),
    max_uses: p.integer().strictNullable(),
    max_uses_per_contact: p.integer().strictNullable(),
    uses: p.integer().default(0),
    active: p.boolean().default(true),
    ...times(),
  },
});

export const DiscountUse = defineEntity({
  name: 'DiscountUse',
  tableName: 'discount_uses',
  properties: {
    organization_id: p.uuid().primary(),
    discount_id: p.uuid().primary(),
    order_id: p.uuid().primary(),
    contact_id: p.uuid().strictNullable(),
  },
});
