import { defineEntity, p } from '@mikro-orm/core';
import { created, tenant } from '../database/columns.ts';

export const Event = defineEntity({
  name: 'Event',
  tableName: 'events',
  properties: {
    ...tenant(),
    /** The transaction has its id first: settled.ts. */
    seq: p.bigint('string').defaultRaw(`case when pg_current_xact_id() is not null then nextval('events_seq_seq') end`),
    type: p.text(),
    subject_type: p.text(),
    subject_id: p.uuid(),
    data: p.json<Record<string, unknown>>(),
    /** Who made it, and the rules it passed through: cause.ts. */
    cause: p.text().strictNullable(),
    chain: p.array<string>().columnType('uuid[]').strictNullable(),
    ...created(),
  },
});
