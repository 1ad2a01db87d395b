import { expect, test } from '@jest/globals';
import { BookingCalendar } from '../../../../src/commerce/calendar/booking-calendar.entity.ts';
import { stopConnection } from '../../../../src/connections/change.ts';
import { Connection } from '../../../../src/connections/connection.entity.ts';
import { transactFor } from '../../../../src/platform/ledger/tenant.ts';
import { unsyncedBookings } from '../../../../src/platform/metrics/figures.ts';
import { useApp } from '../../../support/app.ts';
import { type Booked, bookingMade, changed, repaired, type Staff, serviceMade, staffMade } from '../../../support/calendar.ts';
import { inMs, minuteMs } from '../../../support/rules/clock.ts';
import { deleteJobsOf } from '../../../support/rules/ledger-jobs.ts';

const app = useApp();

/** In whole minutes. */
async function oldest(): Promise<number> {
  const { oldest: seconds } = await app.one(unsyncedBookings);
  return Math.floor(seconds / 60);
}

async function behind(staff: Staff, minutes: number): Promise<Booked> {
  const booked = await bookingMade(app, staff, await serviceMade(app));
  await changed(app, booked);
  const pending_since = inMs(-minutes * minuteMs);
  await app.em().nativeUpdate(BookingCalendar, { booking_id: booked.bookingId }, { pending_since });
  return booked;
}

async function refuse({ connectionId: id }: Staff) {
  const { credentials: sealed } = await app.em().findOneOrFail(Connection, { id: id! });
  const transact = transactFor(app.web.deps.ledger.transact, app.tenant.organizationId);
  await stopConnection(transact, { id: id!, sealed: sealed! }, 'auth_error', 'invalid_grant');
}

test('bookings that wait for a refused connection are not counted, before and after its refusal; those of others are', async () => {
  const [refused, other] = [await staffMade(app), await staffMade(app)];
  await behind(refused, 90);
  await behind(other, 20);
  expect(await oldest()).toBe(90);
  await refuse(refused);
  await behind(refused, 60);
  expect(await oldest()).toBe(20);
  // Nobody would ever bring it up to date: it counts, whatever its connection is.
  const lost = await behind(refused, 40);
  await deleteJobsOf(app.em(), lost.orderId);
  expect(await oldest()).toBe(40);
  await repaired(app, refused.connectionId!, 'sandbox-refresh-token-other');
  expect(await oldest()).toBe(90);
});
