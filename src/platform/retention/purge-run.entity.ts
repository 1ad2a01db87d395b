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
    /** By the number of the step: the last row that a run without an end read. */
    position: p.json<Record<number, { organization_id: string; id: string }>>().strictNullable(),
    deleted: p.bigint('string').defaultRaw('0'),
  },
});
