import { defineEntity, p } from '@mikro-orm/core';
import { timestamp } from '../database/columns.ts';

export const PurgeRun = defineEntity({
  name: 'PurgeRun',
  tableName: 'purges',
  properties: {
    table_name: p.text().primary(),
    started_at: timestamp(),
    next_at: timestamp(),
    finished_at: timestamp().strictNullable(),
    deleted: p.bigint('string').defaultRaw('0'),
  },
});
