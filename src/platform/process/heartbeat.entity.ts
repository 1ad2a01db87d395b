import { defineEntity, p } from '@mikro-orm/core';
import { timestamp } from '../database/columns.ts';

export const Heartbeat = defineEntity({
  name: 'Heartbeat',
  tableName: 'heartbeats',
  properties: {
    process_id: p.uuid().primary(),
    process: p.text().$type<'web' | 'worker'>(),
    since: timestamp(),
    seen_at: timestamp(),
  },
});
