import { defineEntity, p } from '@mikro-orm/core';
import { tenant, times } from '../../platform/database/columns.ts';

export const deliveryMethodKinds = ['pickup', 'flat', 'live', 'none'] as const;
export type DeliveryMethodKind = (typeof deliveryMethodKinds)[number];

export const DeliveryMethod = defineEntity({
  name: 'DeliveryMethod',
  tableName: 'delivery_methods',
  properties: {
    ...tenant(),
    name: p.text(),
    kind: p.enum(deliveryMethodKinds),
    currency: p.text().strictNullable(),
    fee_amount: p.bigint('string').defaultRaw(`0`),
    free_from_amount: p.bigint('string').strictNullable(),
    lead_days: p.integer().default(0),
    active: p.boolean().default(true),
    connection_id: p.uuid().strictNullable(),
    ...times(),
  },
});

export const DeliveryTimeslot = defineEntity({
  name: 'DeliveryTimeslot',
  tableName: 'delivery_timeslots',
  properties: {
    ...tenant(),
    method_id: p.uuid(),
    label: p.text(),
    weekdays: p.array<number>().columnType('int[]'),
    capacity: p.integer().strictNullable(),
    position: p.integer().default(0),
  },
});

export const SlotUsage = defineEntity({
  name: 'SlotUsage',
  tableName: 'slot_usage',
  properties: {
    organization_id: p.uuid().primary(),
    timeslot_id: p.uuid().primary(),
    day: p.date().primary(),
    used: p.integer().default(0),
  },
});
