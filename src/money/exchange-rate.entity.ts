import { defineEntity, p } from '@mikro-orm/core';
import { created, timestamp } from '../platform/database/columns.ts';

/** How much of `quote` one unit of `base` is worth from `effective_at` on. Rows are only added. */
export const ExchangeRate = defineEntity({
  name: 'ExchangeRate',
  tableName: 'exchange_rates',
  properties: {
    organization_id: p.uuid().primary(),
    base: p.text().primary(),
    quote: p.text().primary(),
    effective_at: timestamp().primary(),
    rate: p.decimal().columnType('numeric(24,12)'),
    source: p.text(),
    ...created(),
  },
});
