import { defineEntity, p } from '@mikro-orm/core';
import { tenant, times } from '../../platform/database/columns.ts';

export const serviceConferences = ['none', 'calendar', 'video'] as const;
export type ServiceConference = (typeof serviceConferences)[number];

export const Service = defineEntity({
  name: 'Service',
  tableName: 'services',
  properties: {
    ...tenant(),
    name: p.text(),
    duration_minutes: p.integer(),
    buffer_before: p.integer().default(0),
    buffer_after: p.integer().default(0),
    step_minutes: p.integer().default(30),
    lead_minutes: p.integer().default(0),
    horizon_days: p.integer().default(60),
    cancel_until_minutes: p.integer().default(0),
    conference: p.enum(serviceConferences).default('none'),
    location: p.text().default(''),
    active: p.boolean().default(true),
    ...times(),
  },
});

export const ServiceStaff = defineEntity({
  name: 'ServiceStaff',
  tableName: 'service_staff',
  properties: {
    organization_id: p.uuid().primary(),
    service_id: p.uuid().primary(),
    staff_id: p.uuid().primary(),
    position: p.integer().default(0),
  },
});
