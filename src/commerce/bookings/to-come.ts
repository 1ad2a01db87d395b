import type { Select } from '../../platform/database/own.ts';
import { statement } from '../../platform/database/statement.ts';
import { Booking } from './booking.entity.ts';

/** Where a page ends; `starts_at` as the database wrote it. */
export type Place = { starts_at: string; id: string };

const pageSize = 100;

const toCome = (select: Select, { starts_at, id }: Place) =>
  select(Booking)
    .select(['id', 'order_id', 'starts_at'])
    .where('status', 'in', ['confirmed', 'checked_in'])
    .where((eb) => eb(eb.refTuple('starts_at', 'id'), '>', eb.tuple(starts_at, id)))
    .orderBy('starts_at')
    .orderBy('id')
    .limit(pageSize);

/** What a calendar shows and somebody still comes to, of one staff member or one service, a page at a time. */
export const bookingsToCome = {
  ofStaff: statement((select, { staff_id, starts_at, id }: Place & { staff_id: string }) =>
    toCome(select, { starts_at, id }).where('staff_id', '=', staff_id),
  ),
  ofService: statement((select, { service_id, starts_at, id }: Place & { service_id: string }) =>
    toCome(select, { starts_at, id }).where('service_id', '=', service_id),
  ),
};
