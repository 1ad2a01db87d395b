import { defineEntity, p } from '@mikro-orm/core';
import { tenant, timestampNow } from '../../platform/database/columns.ts';

export const stockMovementKinds = ['reserve', 'release', 'commit', 'restock', 'adjust'] as const;
export type StockMovementKind = (typeof stockMovementKinds)[number];

export const StockMovement = defineEntity({
  name: 'StockMovement',
  tableName: 'stock_movements',
  properties: {
    ...tenant(),
    variant_id: p.uuid(),
    kind: p.enum(stockMovementKinds),
    quantity: p.bigint('string'),
    order_id: p.uuid().strictNullable(),
    order_item_id: p.uuid().strictNullable(),
    reason: p.text().default(''),
    actor: p.text().default(''),
    created_at: timestampNow(),
  },
});
