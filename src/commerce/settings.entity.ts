import { defineEntity, p } from '@mikro-orm/core';
import { times } from '../platform/database/columns.ts';
import type { ShippingOrigin } from './delivery/origin.ts';

export const commerceSettingsConfirmOns = ['payment', 'manual'] as const;
export type CommerceSettingsConfirmOn = (typeof commerceSettingsConfirmOns)[number];

export const CommerceSettings = defineEntity({
  name: 'CommerceSettings',
  tableName: 'commerce_settings',
  properties: {
    organization_id: p.uuid().primary(),
    store_name: p.text().default(''),
    store_slug: p.text().default(''),
    currency: p.text().default('USD'),
    timezone: p.text().default('UTC'),
    order_no_prefix: p.text().default(''),
    reservation_minutes: p.integer().default(30),
    confirm_on: p.enum(commerceSettingsConfirmOns).default('payment'),
    shipping_origin: p.json<ShippingOrigin>().strictNullable(),
    ...times(),
  },
});
