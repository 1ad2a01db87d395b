import { expect, test } from '@jest/globals';
import { stopConnection } from '../../../../src/connections/change.ts';
import { transactFor } from '../../../../src/platform/ledger/tenant.ts';
import { unsyncedBookings } from '../../../../src/platform/metrics/figures.ts';
import { useApp } from '../../../support/app.ts';
import { type Booked, bookingMade, changed, repaired, type Staff, serviceMade, staffMade } from '../../../support/calendar.ts';

const app = useApp();

/** In whole minutes. */
async function oldest(): Promise<number> {
  const { oldest: seconds } = await app.one(unsyncedBookings);
  return Math.floor(seconds / 60);
}

async function behind(staff: Staff, minutes: number): Promise<Booked> {
  const booked = await bookingMade(app, staff, await serviceMade(app));
  await changed(app, booked);
  await app.rows(`update booking_calendars set pending_since = clock_timestamp() - $2 * interval '1 min' where booking_id = $1`, [
    booked.bookingId,
    minutes,
  ]);
  return booked;
}

async function refuse({ connectionId: id }: Staff) {
  const { credentials: sealed } = await app.one('select credentials from connections where id = $1', [id]);
  const transact = transactFor(app.web.deps.ledger.transact, app.tenant.organizationId);
  await stopConnection(transact, { id: id!, sealed }, 'auth_error', 'invalid_grant');
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
  await app.rows('delete from jobs where subject_id = $1', [lost.orderId]);
  expect(await oldest()).toBe(40);
  await repaired(app, refused.connectionId!, 'sandbox-refresh-token-other');
  expect(await oldest()).toBe(90);
});
