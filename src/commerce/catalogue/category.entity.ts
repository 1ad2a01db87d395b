import { defineEntity, p } from '@mikro-orm/core';
import { tenant, times } from '../../platform/database/columns.ts';

export const Category = defineEntity({
  name: 'Category',
  tableName: 'commerce_categories',
  properties: {
    ...tenant(),
    name: p.text(),
    slug: p.text(),
    parent_id: p.uuid().strictNullable(),
    active: p.boolean(),
    sort_order: p.integer().default(0),
    ...times(),
  },
});
