import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { checkJobs } from '../../../../src/platform/ledger/check.ts';
import { type Body, useApp } from '../../../support/app.ts';
import {
  assigned,
  type Booked,
  bookingMade,
  calendarOf,
  cancelled,
  changed,
  hour,
  moved,
  repaired,
  type Staff,
  serviceMade,
  staffMade,
} from '../../../support/calendar.ts';
import { newSeed } from '../../../support/seed.ts';
import { waitFor } from '../../../support/wait-for.ts';
import { bookingCalendarRows, bookingRows, orderRows } from '../../../support/work/commerce.ts';
import { connectionRows } from '../../../support/work/connections.ts';
import { hasWork, poolRows, redispatchNow } from '../../../support/work/jobs.ts';
import { ahead } from '../../../support/work/rows.ts';

const app = useApp({ workers: true });

/** CALENDAR_BOOKINGS: 1,000 for the whole journey. */
const size = Number(process.env.CALENDAR_BOOKINGS ?? 60);
const seed = Number(process.env.CALENDAR_SEED ?? newSeed());
const withinMs = 30_000 + size * 1_000;

/** Repeatable by its seed. */
function dice(from: number) {
  let state = from;
  return (sides: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * sides);
  };
}
const roll = dice(seed);

const path = '/calendar/v3/';
const faults: object[] = [
  { kind: 'status', status: 401, match: { path } },
  { kind: 'status', status: 403, reason: 'rateLimitExceeded', match: { path } },
  { kind: 'status', status: 403, reason: 'forbidden', match: { path } },
  { kind: 'status', status: 409, match: { method: 'POST', path } },
  { kind: 'status', status: 410, match: { method: 'PATCH', path } },
  { kind: 'status', status: 412, match: { method: 'PATCH', path } },
  { kind: 'status', status: 429, match: { path } },
  { kind: 'status', status: 500, match: { path } },
  { kind: 'drop_before', match: { path } },
  { kind: 'drop_after', match: { path } },
  { kind: 'drop_after', match: { method: 'POST', path: '/video/v2/' } },
];

type Known = Booked & { isLive: boolean; starts: string; staff: Staff };

test(
  `${size} bookings, moved, cancelled and reassigned while the calendar misbehaves: each live one has one event`,
  async () => {
    console.info(`seed ${seed}`);
    const staff = await Promise.all([1, 2, 3].map(() => staffMade(app, { video: true })));
    const services = await Promise.all(
      (['none', 'calendar', 'video'] as const).map((conference) => serviceMade(app, conference)),
    );
    const known: Known[] = [];
    let hours = 300_000;
    const nextHour = () => {
      hours += 2;
      return hour(hours);
    };
    for (let index = 0; index < size; index += 1) {
      const one = staff[roll(staff.length)]!;
      const booked = await bookingMade(app, one, services[roll(services.length)]!);
      const { starts_at } = await bookingRows.one(app, booked.bookingId, ['starts_at']);
      known.push({ ...booked, isLive: true, starts: starts_at, staff: one });
      await changed(app, booked);
    }
    const revokedAt = Math.floor(size / 2);
    for (let turn = 0; turn < size * 2; turn += 1) {
      const one = known[roll(known.length)]!;
      const what = roll(10);
      if (what < 4 && one.isLive) {
        one.starts = nextHour();
        await moved(app, one, one.starts);
      } else if (what < 6 && one.isLive) {
        one.isLive = false;
        await cancelled(app, one);
      } else if (what < 8 && one.isLive) {
        one.staff = staff[roll(staff.length)]!;
        one.starts = nextHour();
        await moved(app, one, one.starts);
        await assigned(app, one, one.staff);
      } else await app.control('POST', '/faults', faults[roll(faults.length)]!);
      if (turn % 7 === 0) await deleteSomeEvent();
      if (turn === revokedAt) await app.control('POST', '/tokens/revoke', { account: staff[0]!.account });
      if (turn % 20 === 0) await sleep(30);
    }
    // Who lets a person in again gives new credentials.
    const [name] = staff[0]!.account.split('@');
    await repaired(app, staff[0]!.connectionId!, `sandbox-refresh-token-${name}.new`);
    await settled();

    // The table says `failed` for a 403 that is no rate: a person sees it, and asks again.
    const failed: { order_id: string }[] = [];
    for (const { booking_id, error } of await bookingCalendarRows.all(app, { status: 'failed' })) {
      expect(error).toBe('forbidden');
      failed.push(await bookingRows.one(app, booking_id, ['order_id']));
    }
    const { faults: left } = await app.control('GET', '/faults');
    for (const { order_id } of failed) expect((await orderRows.one(app, order_id)).attention).toEqual(['calendar_failed']);
    await drainFaults(left.length);
    // Nobody told us of what was deleted behind our back: each is asked for once more.
    for (const one of known) await changed(app, one);
    await settled();

    const { events, rooms } = await app.control('GET', '/calendar/events');
    const live = events.filter(
      ({ status, extendedProperties }: Body) => status !== 'cancelled' && extendedProperties?.private?.kanal_booking,
    );
    const ofBooking = Map.groupBy(live, (event: Body) => event.extendedProperties.private.kanal_booking as string);
    const { meetings } = await app.control('GET', '/video/meetings');
    for (const one of known) {
      const row = await calendarOf(app, one);
      const mine: Body[] = ofBooking.get(one.bookingId) ?? [];
      const { conference: service } = await app.one(
        'select s.conference from bookings b join services s on s.id = b.service_id where b.id = $1',
        [one.bookingId],
      );
      expect({ id: one.bookingId, status: row.status, events: mine.length }).toEqual({
        id: one.bookingId,
        status: 'synced',
        events: one.isLive ? 1 : 0,
      });
      if (one.isLive) {
        expect(Date.parse(mine[0].start.dateTime)).toBe(Date.parse(one.starts));
        expect(mine[0].calendar_id).toBe(one.staff.account);
        expect(row.event_id).toBe(mine[0].id);
        const made = rooms.filter((room: Body) => room.event_id === mine[0].id);
        expect(made).toHaveLength(service === 'calendar' ? 1 : 0);
      }
      expect(row.meet_url !== '').toBe(one.isLive && service === 'calendar');
      const rows = meetings.filter(({ agenda }: Body) => agenda === `kanal:${one.bookingId}`);
      expect(rows).toHaveLength(one.isLive && service === 'video' ? 1 : 0);
    }
    expect(live).toHaveLength(known.filter(({ isLive }) => isLive).length);
    expect(await checkJobs(app.web.deps.database)).toEqual([]);
  },
  withinMs + 60_000,
);

async function deleteSomeEvent(): Promise<void> {
  const { events } = await app.control('GET', '/calendar/events');
  const live = events.filter(({ status }: Body) => status !== 'cancelled');
  if (live.length === 0) return;
  const { id, calendar_id } = live[roll(live.length)]!;
  await app.control('POST', `/calendar/events/${id}/delete`, { calendar_id });
}

let repairs = 0;

/** Two 401 in a row stop a connection too: a person gives it new credentials each time. */
async function repairAll(): Promise<void> {
  const stopped = await connectionRows.all(app, { status: 'auth_error', kind: 'calendar' }, ['id', 'name']);
  for (const { id, name } of stopped) {
    repairs += 1;
    await repaired(app, id, `sandbox-refresh-token-${name}.${repairs}`);
  }
}

/** Waits between tries are shortened: how long they are is tested elsewhere. */
async function settled(): Promise<void> {
  await waitFor(
    'all syncs to end',
    async () => {
      await redispatchNow(app, { name: 'commerce.sync-booking-calendar', state: 'queued', run_at: { $gt: ahead('300 ms') } });
      await poolRows.change(app, { held_until: { $lt: 'infinity' } }, { held_until: null });
      await repairAll();
      return !(await hasWork(app, 'commerce.sync-booking-calendar'));
    },
    withinMs,
  );
}

/** What no request has met yet meets none of those that follow. */
async function drainFaults(count: number): Promise<void> {
  for (let tries = 0; tries < count * 3; tries += 1) {
    const { faults: left } = await app.control('GET', '/faults');
    const [{ match } = { match: undefined }] = left;
    if (!match) return;
    await fetch(app.sandboxUrl + (match.path === path ? '/calendar/v3/drain' : '/video/v2/drain'), {
      method: match.method ?? 'GET',
    }).catch(() => undefined);
  }
}

test('a storm of 100 moves of one booking ends in the last one, at 5 calls a second at most', async () => {
  const staff = await staffMade(app, { isPaced: true });
  const booked = await bookingMade(app, staff, await serviceMade(app));
  const since = Date.now();
  let last = '';
  for (let move = 0; move < 100; move += 1) {
    last = hour(400_000 + move * 2);
    await moved(app, booked, last);
    await sleep(20);
  }
  await app.idle(30_000);
  const row = await calendarOf(app, booked);
  expect(row).toMatchObject({ status: 'synced', wanted: 100, synced: 100 });
  const { events } = await app.control('GET', '/calendar/events');
  const mine = events.filter(({ extendedProperties }: Body) => extendedProperties?.private?.kanal_booking === booked.bookingId);
  expect(mine).toMatchObject([{ status: 'confirmed', start: { dateTime: last } }]);
  const { requests } = await app.control('GET', `/requests?path=${path}`);
  const times = requests.map(({ at }: Body) => Date.parse(at)).filter((at: number) => at >= since);
  expect(times.length).toBeGreaterThan(1);
  expect(times.length).toBeLessThan(100);
  // A call that is late on its way stands closer to the next ones: by that much, and never by more of them.
  const early = times.flatMap((from: number, first: number) =>
    times.slice(first + 1).map((at: number, after: number) => (after + 1) * 200 - (at - from)),
  );
  expect(Math.max(...early)).toBeLessThan(1_000);
});
