import { defineEntity, p } from '@mikro-orm/core';
import { tenant, times } from '../../platform/database/columns.ts';
import type { OrderContent } from './content.ts';

export const DraftOrder = defineEntity({
  name: 'DraftOrder',
  tableName: 'draft_orders',
  properties: {
    ...tenant(),
    contact_id: p.uuid().strictNullable(),
    content: p.json<OrderContent>(),
    order_id: p.uuid().strictNullable(),
    revision: p.integer().default(1),
    ...times(),
  },
});
