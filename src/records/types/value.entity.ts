import { defineEntity, p } from '@mikro-orm/core';
import { timestamp } from '../../platform/database/columns.ts';

/** The typed index: one row an indexed value of a live record. */
export const RecordValue = defineEntity({
  name: 'RecordValue',
  tableName: 'record_values',
  properties: {
    organization_id: p.uuid().primary(),
    record_id: p.uuid().primary(),
    field_id: p.uuid().primary(),
    ordinal: p.integer().primary().default(0),
    /** One of these three is set. */
    text_value: p.text().strictNullable(),
    number_value: p.decimal('string').columnType('numeric').strictNullable(),
    time_value: timestamp().strictNullable(),
    is_unique: p.boolean().default(false),
  },
});
