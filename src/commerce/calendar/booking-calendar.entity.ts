import { defineEntity, p } from '@mikro-orm/core';
import { times, timestamp } from '../../platform/database/columns.ts';

export const bookingCalendarStatuses = ['pending', 'synced', 'failed', 'skipped'] as const;
export type BookingCalendarStatus = (typeof bookingCalendarStatuses)[number];

/** An entry in a calendar that is not the booking's any more: to be deleted there. */
export type EarlierEvent = { connection_id: string; calendar_id: string; event_id: string };

export const BookingCalendar = defineEntity({
  name: 'BookingCalendar',
  tableName: 'booking_calendars',
  properties: {
    organization_id: p.uuid().primary(),
    booking_id: p.uuid().primary(),
    status: p.enum(bookingCalendarStatuses).default('pending'),
    error: p.text().default(''),
    wanted: p.bigint('string').defaultRaw(`1`),
    synced: p.bigint('string').defaultRaw(`0`),
    connection_id: p.uuid().strictNullable(),
    calendar_id: p.text().strictNullable(),
    generation: p.integer().default(0),
    event_id: p.text().strictNullable(),
    etag: p.text().strictNullable(),
    event_url: p.text().default(''),
    meet_url: p.text().default(''),
    conference_asked_at: timestamp().strictNullable(),
    earlier: p.json<EarlierEvent[]>().defaultRaw(`'[]'`),
    video_connection_id: p.uuid().strictNullable(),
    video_meeting_id: p.text().strictNullable(),
    video_url: p.text().default(''),
    video_asked_at: timestamp().strictNullable(),
    last_synced_at: timestamp().strictNullable(),
    /** How long it is behind, whatever was wished meanwhile. */
    pending_since: timestamp().defaultRaw('clock_timestamp()').strictNullable(),
    ...times(),
  },
});
