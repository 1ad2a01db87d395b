import { Connection } from '../../connections/connection.entity.ts';
import { statement } from '../../platform/database/statement.ts';
import { AppError } from '../../platform/errors.ts';
import type { OwnTx } from '../../platform/ledger/tx.ts';
import { getBookingOf } from '../bookings/booking-row.ts';
import { Staff } from '../bookings/staff.entity.ts';
import { getOrder } from '../orders/order-row.ts';
import { wishCalendar } from './wish.ts';

const calendarOfStaff = statement((select, { staffId }: { staffId: string }) =>
  select(Staff, Connection)
    .innerJoin('connections', (join) =>
      join
        .onRef('connections.organization_id', '=', 'staff.organization_id')
        .onRef('connections.id', '=', 'staff.calendar_connection_id'),
    )
    .select(['connections.id', 'connections.status'])
    .where('staff.id', '=', staffId)
    .where('connections.deleted_at', 'is', null),
);

/**
 * Looks into the calendar although nothing has changed here. Returns the operation's id; null: there is no calendar. Needs the order's lock.
 * Throws 404, 422 `booking_required`, 409 `connection_unavailable`.
 */
export async function askCalendarSync(tx: OwnTx, orderId: string): Promise<string | null> {
  await getOrder(tx, orderId);
  const booking = await getBookingOf(tx, orderId);
  const [connection] = await calendarOfStaff(tx, { staffId: booking.staff_id });
  if (connection && connection.status !== 'connected')
    throw new AppError('connection_unavailable', `The calendar connection is ${connection.status}`, {
      details: [{ code: connection.status, message: 'Give the connection new credentials', value: connection.id }],
    });
  return wishCalendar(tx, { orderId, bookingId: booking.id });
}
