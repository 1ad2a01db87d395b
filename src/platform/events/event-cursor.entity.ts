import { defineEntity, p } from '@mikro-orm/core';
import { created, timestamp, timestampNow } from '../database/columns.ts';

/** How far a client has read the organization's events. */
export const EventCursor = defineEntity({
  name: 'EventCursor',
  tableName: 'event_cursors',
  properties: {
    organization_id: p.uuid().primary(),
    name: p.text().primary(),
    seq: p.bigint('string'),
    /** Of the last event at or before `seq`. */
    event_at: timestamp().strictNullable(),
    /** Events up to this time were purged before they were acknowledged (retention/events.ts). */
    lost_until: timestamp().strictNullable(),
    ...created(),
    acked_at: timestampNow(),
  },
});
