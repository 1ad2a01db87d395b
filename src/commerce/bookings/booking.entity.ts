import { defineEntity, p } from '@mikro-orm/core';
import { tenant, times, timestamp, timestampNow } from '../../platform/database/columns.ts';

export const bookingStatuses = ['held', 'confirmed', 'checked_in', 'completed', 'no_show', 'cancelled'] as const;
export type BookingStatus = (typeof bookingStatuses)[number];

export const bookingModes = ['in_person', 'video', 'phone'] as const;
export type BookingMode = (typeof bookingModes)[number];

export const bookingSources = ['checkout', 'api', 'staff', 'customer'] as const;
export type BookingSource = (typeof bookingSources)[number];

export const Booking = defineEntity({
  name: 'Booking',
  tableName: 'bookings',
  properties: {
    ...tenant(),
    order_id: p.uuid(),
    service_id: p.uuid(),
    staff_id: p.uuid(),
    contact_id: p.uuid().strictNullable(),
    status: p.enum(bookingStatuses).default('held'),
    mode: p.enum(bookingModes).default('in_person'),
    source: p.enum(bookingSources).default('api'),
    starts_at: timestamp(),
    ends_at: timestamp(),
    during: p.text().columnType('tstzrange'),
    timezone: p.text(),
    conference: p.text().default(''),
    checkin_token_hash: p.text().strictNullable(),
    checked_in_at: timestamp().strictNullable(),
    schedule_updated_at: timestampNow(),
    ...times(),
  },
});
