import { defineEntity, p } from '@mikro-orm/core';
import { jsonBytes, tenant, times, timestamp, timestampNow } from '../../platform/database/columns.ts';
import type { HoursOverride, WeeklyRange } from './hours.ts';

export const Staff = defineEntity({
  name: 'Staff',
  tableName: 'staff',
  properties: {
    ...tenant(),
    name: p.text(),
    email: p.text().default(''),
    timezone: p.text(),
    calendar_connection_id: p.uuid().strictNullable(),
    calendar_id: p.text().strictNullable(),
    video_connection_id: p.uuid().strictNullable(),
    weekly_hours: p.json<WeeklyRange[]>().defaultRaw(`'[]'`),
    overrides: p.json<HoursOverride[]>().defaultRaw(`'[]'`),
    hours_bytes: jsonBytes('weekly_hours', 'overrides'),
    reads_busy: p.boolean().default(false),
    busy_copied_at: timestamp().strictNullable(),
    next_copy_at: timestampNow(),
    active: p.boolean().default(true),
    ...times(),
  },
});

export const StaffBusy = defineEntity({
  name: 'StaffBusy',
  tableName: 'staff_busy',
  properties: {
    organization_id: p.uuid().primary(),
    staff_id: p.uuid().primary(),
    during: p.text().columnType('tstzrange').primary(),
  },
});
