import { connectionPool } from '../../src/connections/use.ts';
import { poolOf } from '../../src/platform/ledger/pools.ts';
import { shopOf } from '../commerce/shop.ts';
import { queueSyncs } from '../commerce/waiting-bookings.ts';
import type { Side } from '../stage.ts';
import { workerPath } from '../worker-path.ts';

const calendars = new Map<Side, string>();

/** The account's own pace is off on both sides. */
export const bookingSync = workerPath({
  name: 'booking-sync',
  what: "one worker brings bookings to the sandbox's calendar",
  unit: 'bookings/s',
  queue: 'default',
  pool: (side) => poolOf(side.tenant.organizationId, connectionPool(calendars.get(side)!)),
  async prepare(side, _stage, count) {
    calendars.set(side, (await shopOf(side)).calendarId);
    return queueSyncs(side, count);
  },
  async verify({ sql, name, tenant }, { sandbox }, bookings) {
    const { rows } = await sql.query<{ event_id: string }>(
      `select event_id from booking_calendars
        where organization_id = $1 and booking_id = any($2) and status = 'synced' and synced = wanted and etag is not null`,
      [tenant.organizationId, bookings],
    );
    const { events } = await sandbox.control<{ events: { id: string }[] }>('GET', '/calendar/events');
    const there = new Set(events.map(({ id }) => id));
    const synced = rows.filter(({ event_id }) => there.has(event_id)).length;
    if (synced !== bookings.length) throw new Error(`booking-sync, ${name}: ${synced} of ${bookings.length} are in the calendar`);
    await sql.query('vacuum analyze jobs, bookings, booking_calendars, orders, events');
  },
});
