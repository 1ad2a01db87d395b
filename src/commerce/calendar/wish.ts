import { pacedPool } from '../../connections/paces.ts';
import { statement } from '../../platform/database/statement.ts';
import { Job } from '../../platform/ledger/jobs.entity.ts';
import { movePool } from '../../platform/ledger/move-pool.ts';
import type { OwnTx } from '../../platform/ledger/tx.ts';
import { orderLane, orderLock } from '../orders/order-row.ts';
import { syncBookingCalendarJob } from './jobs.ts';
import { setCalendarState } from './settle.ts';
import { settledStatus, wishedOf } from './wished.ts';

const liveJob = statement((select, { lane }: { lane: string }) =>
  select(Job)
    .select(['id', 'pool'])
    .where('lane', '=', lane)
    .where('state', 'in', ['blocked', 'waiting', 'queued'])
    .orderBy('seq', 'desc')
    .limit(1),
);

/** SQL: on conflict; the wish is counted up from the row's newest version. */
const countWish = `
  insert into booking_calendars (organization_id, booking_id)
  values ($1, $2)
  on conflict (organization_id, booking_id) do update
     set wanted = booking_calendars.wanted + 1,
         updated_at = clock_timestamp()`;

/**
 * After every change of a booking that its calendar shows: time, staff, customer, conference, state. The wish counts on, and a job brings
 * the calendar to it: the one under way, if there is one. Needs the order's lock. Returns the operation's id; null: there is no calendar to
 * tell (`skipped`).
 */
export async function wishCalendar(
  tx: OwnTx,
  { orderId, bookingId }: { orderId: string; bookingId: string },
): Promise<string | null> {
  tx.assertLocked(orderLock(orderId));
  await tx.flush();
  await tx.sql(countWish, [bookingId]);
  const wished = await wishedOf(tx, orderId);
  if (!wished?.pooledBy) {
    await setCalendarState(tx, orderId, { status: wished ? settledStatus(wished) : 'skipped' }, false);
    return null;
  }
  await setCalendarState(tx, orderId, { status: 'pending' }, false);
  const pool = await pacedPool(tx, wished.pooledBy.kind, wished.pooledBy.id);
  const lane = orderLane('calendar', orderId);
  const [live] = await liveJob(tx, { lane });
  if (live) {
    // It may wait for an account that is not the booking's any more.
    if (live.pool !== pool) await movePool(tx, live.id, pool);
    return live.id;
  }
  return tx.enqueue(syncBookingCalendarJob, { order_id: orderId }, { lane, pool });
}
