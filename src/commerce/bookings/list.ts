import type { Own } from '../../platform/database/own.ts';
import { bindTo } from '../../platform/listing/bind.ts';
import { type Ask, type Page, type PageRows, pageAskedFor } from '../../platform/listing/paging.ts';
import type { BookingCalendarStatus } from '../calendar/booking-calendar.entity.ts';
import type { BookingStatus } from './booking.entity.ts';
import { type BookingRow, bookingColumns } from './booking-row.ts';

export type BookingFilter = {
  staffId?: string;
  serviceId?: string;
  contactId?: string;
  status?: BookingStatus;
  /** Begins at this time or later. */
  since?: string;
  /** Begins before this time. */
  until?: string;
};

/** `created_at` is the start, by which the list is sorted. */
export type ListedBooking = Omit<BookingRow, 'starts_at' | 'created_at'> & {
  created_at: string;
  order_no: string;
  made_at: string;
  calendar_sync_status: BookingCalendarStatus | null;
};

const columns = bookingColumns.filter((column) => column !== 'starts_at' && column !== 'created_at');

/** The latest start first; each filter has an index in the list's order. SQL: the client's filters decide the statement. */
export function listBookings(own: Own, ask: Ask, filter: BookingFilter, page: Page): Promise<PageRows<ListedBooking>> {
  const params: unknown[] = [own.organizationId];
  const bind = bindTo(params);
  const where = ['b.organization_id = $1'];
  if (filter.staffId) where.push(`b.staff_id = ${bind(filter.staffId)}`);
  if (filter.serviceId) where.push(`b.service_id = ${bind(filter.serviceId)}`);
  if (filter.contactId) where.push(`b.contact_id = ${bind(filter.contactId)}`);
  if (filter.status) where.push(`b.status = ${bind(filter.status)}`);
  if (filter.since) where.push(`b.starts_at >= ${bind(filter.since)}::timestamptz`);
  if (filter.until) where.push(`b.starts_at < ${bind(filter.until)}::timestamptz`);
  const text = `
    select ${columns.map((column) => `b.${column}`).join(', ')}, b.starts_at as created_at, b.created_at as made_at,
           (select o.order_no
              from orders o
             where o.organization_id = b.organization_id and o.id = b.order_id) as order_no,
           (select c.status
              from booking_calendars c
             where c.organization_id = b.organization_id and c.booking_id = b.id) as calendar_sync_status
      from bookings b
     where ${where.join(' and ')}`;
  return pageAskedFor<ListedBooking>(ask, text, params, page);
}
