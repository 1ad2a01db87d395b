import { defineEntity, p } from '@mikro-orm/core';
import { created, identity, tenant } from '../database/columns.ts';

export const Event = defineEntity({
  name: 'Event',
  tableName: 'events',
  properties: {
    ...tenant(),
    seq: identity(),
    type: p.text(),
    subject_type: p.text(),
    subject_id: p.uuid(),
    data: p.json<Record<string, unknown>>(),
    ...created(),
  },
});
