import { expect, test } from '@jest/globals';
import { withoutOwn } from '../../../src/commerce/bookings/busy.ts';
import { askDueCopies } from '../../../src/commerce/bookings/due-copies.ts';
import { newToken } from '../../../src/connections/access-token.ts';
import { type Body, useApp } from '../../support/app.ts';
import { at, book, bookable, dayOf, orderFor } from '../../support/bookings.ts';
import { connectionMade, repaired, unpaced } from '../../support/calendar.ts';
import { waitFor } from '../../support/wait-for.ts';
import { staffRows } from '../../support/work/commerce.ts';
import { statusOfConnection } from '../../support/work/connections.ts';
import { holdForever, jobRows } from '../../support/work/jobs.ts';
import { rightNow } from '../../support/work/rows.ts';

const app = useApp({ workers: true });

type Member = { serviceId: string; staffId: string; connectionId: string; account: string };

async function member({ service = {}, staff = {} } = {}): Promise<Member> {
  const { id: connectionId, account } = await connectionMade(app, 'calendar');
  await unpaced(app, connectionId);
  const { serviceId, staffIds } = await bookable(app, app.tenant, {
    service: { step_minutes: 60, ...service },
    staff: { calendar_connection_id: connectionId, ...staff },
  });
  return { serviceId, staffId: staffIds[0]!, connectionId, account };
}

let entries = 0;

/** What somebody writes into the calendar by hand. */
async function written({ account }: Member, startsAt: string, endsAt: string): Promise<string> {
  const { tokens, calendar } = app.web.deps.providers;
  const refresh_token = `sandbox-refresh-token-${account.split('@')[0]}`;
  const { token } = await newToken(tokens, { provider: 'google', credentials: { refresh_token } });
  entries += 1;
  const eventId = `theirs${String(entries).padStart(4, '0')}`;
  const content = { summary: 'Dentist', description: '', location: '', startsAt, endsAt, timezone: 'UTC', mark: '' };
  await calendar.insertEvent(token, { calendarId: 'primary', eventId }, { ...content, conference: { kind: 'keep' } });
  return eventId;
}

const patch = async ({ staffId: staffID }: Member, body: object) => {
  const reply = await app.call('commerce.staff.update', { key: app.tenant.key, params: { staffID }, body });
  expect(reply.status).toBe(200);
  return reply.body;
};
const reading = async (one: Member) => {
  await patch(one, { reads_busy: true });
  await app.idle();
};
const due = ({ staffId }: Member) => staffRows.change(app, staffId, { next_copy_at: rightNow() });
async function copiedAgain(one: Member): Promise<void> {
  await due(one);
  expect(await askDueCopies(app.web.deps.ledger.transact)).toBe(1);
  await app.idle();
}
const rowsOf = ({ staffId }: Member) =>
  app.rows(
    `select lower(during)::text as "from", upper(during)::text as "to", xmin::text as written from staff_busy
      where staff_id = $1 order by during`,
    [staffId],
  );
const timesOf = async (one: Member) =>
  (await rowsOf(one)).map(({ from, to }) => [new Date(from).toISOString(), new Date(to).toISOString()]);
const staffOf = ({ staffId }: Member) => staffRows.one(app, staffId);
const startsOf = async ({ serviceId }: Member, days: number) => {
  const reply = await app.call('commerce.services.slots', {
    key: app.tenant.key,
    params: { serviceID: serviceId },
    query: { from: dayOf(days), to: dayOf(days) },
  });
  return reply.body.items.map(({ starts_at }: Body) => starts_at.slice(11, 16));
};
const jobsOf = ({ staffId }: Member) =>
  jobRows.all(app, { subject_id: staffId, name: 'bookings.copy-busy' }, ['state', 'pool'], { seq: 'asc' });

async function booked({ serviceId }: Member, starts_at: string): Promise<string> {
  const orderId = await orderFor(app, app.tenant, { status: 'confirmed' });
  expect((await book(app, app.tenant, orderId, { service_id: serviceId, starts_at })).status).toBe(201);
  await app.idle();
  return orderId;
}
const eventIdOf = async (orderId: string) =>
  (
    await app.one(
      'select c.event_id from booking_calendars c join bookings b on b.id = c.booking_id where b.order_id = $1 and c.event_id is not null',
      [orderId],
    )
  ).event_id;

test('what the calendar shows as busy is no slot, at once when it is switched on and again when it is due', async () => {
  const one = await member();
  await written(one, at(2, '09:30'), at(2, '12:00'));
  expect(await startsOf(one, 2)).toContain('10:00');
  expect((await staffOf(one)).busy_copied_at).toBeNull();
  await reading(one);
  expect(await timesOf(one)).toEqual([[at(2, '09:30'), at(2, '12:00')]]);
  expect(await startsOf(one, 2)).toEqual(['12:00', '13:00', '14:00', '15:00', '16:00']);
  const { busy_copied_at } = await staffOf(one);
  expect(busy_copied_at).not.toBeNull();

  expect(await askDueCopies(app.web.deps.ledger.transact)).toBe(0);
  await written(one, at(2, '14:00'), at(2, '17:00'));
  await copiedAgain(one);
  expect(await startsOf(one, 2)).toEqual(['12:00', '13:00']);
  expect((await staffOf(one)).busy_copied_at! > busy_copied_at!).toBe(true);
  const minutes = (Date.parse((await staffOf(one)).next_copy_at!) - Date.now()) / 60_000;
  expect(minutes).toBeGreaterThan(12);
  expect(minutes).toBeLessThan(14);
});

test('a member who is made with it is read at once; switched off nothing is busy', async () => {
  const one = await member({ staff: { reads_busy: true } });
  await app.idle();
  expect((await staffOf(one)).busy_copied_at).not.toBeNull();
  await written(one, at(2, '09:00'), at(2, '17:00'));
  await copiedAgain(one);
  expect(await startsOf(one, 2)).toEqual([]);
  expect((await patch(one, { reads_busy: false })).busy_copied_at).toBeNull();
  expect(await startsOf(one, 2)).toHaveLength(8);
  await due(one);
  expect(await askDueCopies(app.web.deps.ledger.transact)).toBe(0);
});

test('what was copied before is not written again, and what went away goes', async () => {
  const one = await member();
  await written(one, at(3, '09:00'), at(3, '10:00'));
  const second = await written(one, at(3, '12:00'), at(3, '13:00'));
  await reading(one);
  const before = await rowsOf(one);
  expect(before).toHaveLength(2);
  await copiedAgain(one);
  expect(await rowsOf(one)).toEqual(before);
  await app.control('POST', `/calendar/events/${second}/delete`, { calendar_id: one.account });
  await copiedAgain(one);
  expect(await rowsOf(one)).toEqual(before.slice(0, 1));
});

test('an own booking takes its time once: it can be moved across its own entry, and cancelled the time is free', async () => {
  const one = await member({ service: { step_minutes: 30, duration_minutes: 60 } });
  const orderId = await booked(one, at(4, '10:00'));
  expect(await eventIdOf(orderId)).toBeTruthy();
  await written(one, at(4, '10:30'), at(4, '12:00'));
  await reading(one);
  expect(await timesOf(one)).toEqual([[at(4, '11:00'), at(4, '12:00')]]);
  const moved = await app.call('commerce.orders.booking.update', {
    key: app.tenant.key,
    params: { orderID: orderId },
    body: { starts_at: at(4, '09:30') },
  });
  expect(moved.status).toBe(200);
  await app.idle();
  await copiedAgain(one);
  expect(await timesOf(one)).toEqual([[at(4, '10:30'), at(4, '12:00')]]);
  expect(await startsOf(one, 4)).not.toContain('09:30');
  const cancelled = await app.call('commerce.orders.booking.cancel', { key: app.tenant.key, params: { orderID: orderId } });
  expect(cancelled.status).toBe(200);
  // Its entry is still there.
  await copiedAgain(one);
  expect(await startsOf(one, 4)).toContain('09:30');
});

test('a horizon longer than one call may ask for is read in several', async () => {
  const one = await member({ service: { horizon_days: 200 } });
  for (const days of [10, 70, 190]) await written(one, at(days, '09:00'), at(days, '10:00'));
  await written(one, at(230, '09:00'), at(230, '10:00'));
  await reading(one);
  expect((await timesOf(one)).map(([from]) => from)).toEqual([10, 70, 190].map((days) => at(days, '09:00')));
});

test('revoked credentials: the copy waits with the pool, the old times stand, and it goes on after new ones', async () => {
  const one = await member();
  await written(one, at(2, '09:00'), at(2, '10:00'));
  await reading(one);
  await written(one, at(2, '12:00'), at(2, '13:00'));
  await app.control('POST', '/tokens/revoke', { account: one.account });
  await due(one);
  await askDueCopies(app.web.deps.ledger.transact);
  await waitFor('the stop', async () => (await statusOfConnection(app, one.connectionId)) === 'auth_error');
  await app.idle();
  expect(await timesOf(one)).toHaveLength(1);
  await due(one);
  expect(await askDueCopies(app.web.deps.ledger.transact)).toBe(0);
  expect((await jobsOf(one)).filter(({ state }) => state !== 'done')).toHaveLength(1);
  await repaired(app, one.connectionId, `sandbox-refresh-token-${one.account.split('@')[0]}.second`);
  await waitFor('the copy', async () => (await timesOf(one)).length === 2);
});

test('a calendar that is not there and a connection that was deleted leave the times, and no job behind', async () => {
  const one = await member();
  await written(one, at(2, '09:00'), at(2, '10:00'));
  await reading(one);
  const { busy_copied_at } = await staffOf(one);
  await staffRows.change(app, one.staffId, { calendar_id: 'nobody' });
  await copiedAgain(one);
  await staffRows.change(app, one.staffId, { calendar_id: 'primary' });
  await app.call('connections.delete', { key: app.tenant.key, params: { connectionID: one.connectionId } });
  await copiedAgain(one);
  expect(await timesOf(one)).toHaveLength(1);
  expect((await staffOf(one)).busy_copied_at).toBe(busy_copied_at);
  // One that had failed would be kept.
  expect(await jobsOf(one)).toEqual([]);
});

test('another calendar: the old times go at once, and a copy that waits for the old account waits no longer', async () => {
  const one = await member();
  await written(one, at(2, '09:00'), at(2, '10:00'));
  await reading(one);
  await holdForever(app, `connection:${one.connectionId}`);
  await due(one);
  await askDueCopies(app.web.deps.ledger.transact);
  expect(await jobsOf(one)).toEqual([{ state: 'waiting', pool: `connection:${one.connectionId}` }]);
  const other = await connectionMade(app, 'calendar');
  await unpaced(app, other.id);
  const there = { ...one, connectionId: other.id, account: other.account };
  await written(there, at(2, '15:00'), at(2, '16:00'));
  await patch(one, { calendar_connection_id: other.id });
  expect(await timesOf(one)).not.toContainEqual([at(2, '09:00'), at(2, '10:00')]);
  await waitFor('the copy', async () => (await timesOf(one)).length === 1);
  expect(await timesOf(one)).toEqual([[at(2, '15:00'), at(2, '16:00')]]);
  await app.idle();
  expect(await jobsOf(one)).toEqual([]);
});

test('times are subtracted to the minute', () => {
  const minutes = (...pairs: [number, number][]) => pairs.map(([start, end]) => ({ start: start * 60_000, end: end * 60_000 }));
  const cut = (busy: [number, number][], own: [number, number][]) =>
    withoutOwn(minutes(...busy), minutes(...own)).map(({ start, end }) => [start / 60_000, end / 60_000]);
  expect(cut([[0, 10]], [])).toEqual([[0, 10]]);
  expect(cut([[0, 10]], [[0, 10]])).toEqual([]);
  expect(cut([[0, 10]], [[3, 5]])).toEqual([
    [0, 3],
    [5, 10],
  ]);
  expect(
    cut(
      [
        [0, 5],
        [4, 10],
        [12, 14],
      ],
      [
        [4, 13],
        [1, 2],
      ],
    ),
  ).toEqual([
    [0, 1],
    [2, 4],
    [13, 14],
  ]);
});
