import { videoClient } from '../../sandbox/tokens.ts';
import { wishCalendar } from '../../src/commerce/calendar/wish.ts';
import { orderLock } from '../../src/commerce/orders/order-row.ts';
import { connectionLock, connectionToChange, letConnectionGo, makePool } from '../../src/connections/change.ts';
import { uuidv7 } from '../../src/platform/ids.ts';
import { transactFor } from '../../src/platform/ledger/tenant.ts';
import type { App, Body } from './app.ts';
import { bareOrder, stockedVariant } from './factories/shop.ts';

export type Staff = { id: string; connectionId: string | null; videoId: string | null; account: string; calendarId: string };
export type Booked = { orderId: string; bookingId: string };

const transactIn = (app: App) => transactFor(app.web.deps.ledger.transact, app.tenant.organizationId);

let accounts = 0;

/** With sealed credentials that the sandbox takes; `account`: whose calendars. */
export async function connectionMade(
  app: App,
  kind: 'calendar' | 'video',
  account = '',
): Promise<{ id: string; account: string }> {
  accounts += 1;
  const name = account || `staff${accounts}`;
  const credentials =
    kind === 'calendar'
      ? { refresh_token: `sandbox-refresh-token-${name}` }
      : { account_id: name, client_id: videoClient.id, client_secret: videoClient.secret };
  const id = uuidv7();
  const sealed = app.web.deps.secrets.seal(JSON.stringify(credentials));
  await app.rows(
    'insert into connections (organization_id, id, kind, provider, name, account, credentials) values ($1, $2, $3, $4, $5, $5, $6)',
    [app.tenant.organizationId, id, kind, kind === 'calendar' ? 'google' : 'zoom', name, sealed],
  );
  await transactIn(app)({}, (tx) => makePool(tx, id, kind));
  return { id, account: kind === 'calendar' ? `${name}@sandbox.example` : name };
}

/** New credentials of the same account, as a person gives them after the old ones were refused. */
export async function repaired(app: App, connectionId: string, refreshToken: string): Promise<void> {
  const sealed = app.web.deps.secrets.seal(JSON.stringify({ refresh_token: refreshToken }));
  await app.rows('update connections set credentials = $2, access_token = null where id = $1', [connectionId, sealed]);
  await transactIn(app)({ locks: [connectionLock(connectionId)] }, async (tx) =>
    letConnectionGo(tx, await connectionToChange(tx.own, connectionId)),
  );
}

/** No pace: a test that is not about it does not wait for it. */
export const unpaced = (app: App, connectionId: string | null) =>
  app.rows('update pools set rate = 1000, width = 16 where id = $1', [`connection:${connectionId}`]);

export async function staffMade(
  app: App,
  { calendar = true, video = false, calendarId = 'primary', isPaced = false } = {},
): Promise<Staff> {
  const connection = calendar ? await connectionMade(app, 'calendar') : null;
  const room = video ? await connectionMade(app, 'video') : null;
  const id = uuidv7();
  await app.rows(
    `insert into staff (organization_id, id, name, timezone, calendar_connection_id, calendar_id, video_connection_id)
     values ($1, $2, 'Sari', 'Asia/Jakarta', $3, $4, $5)`,
    [app.tenant.organizationId, id, connection?.id ?? null, connection ? calendarId : null, room?.id ?? null],
  );
  if (!isPaced) for (const one of [connection, room]) if (one) await unpaced(app, one.id);
  return {
    id,
    connectionId: connection?.id ?? null,
    videoId: room?.id ?? null,
    account: connection?.account ?? '',
    calendarId: calendarId === 'primary' ? (connection?.account ?? '') : calendarId,
  };
}

export async function serviceMade(app: App, conference: 'none' | 'calendar' | 'video' = 'none'): Promise<string> {
  const id = uuidv7();
  await app.rows(
    `insert into services (organization_id, id, name, duration_minutes, conference, location) values ($1, $2, 'Massage', 60, $3, 'Room 2')`,
    [app.tenant.organizationId, id, conference],
  );
  return id;
}

let hours = 0;
export const hour = (after: number) => new Date(Date.UTC(2030, 0, 1) + after * 3_600_000).toISOString();

/** A confirmed booking, whose calendar knows nothing yet. Each at an hour of its own. */
export async function bookingMade(app: App, staff: Staff, serviceId: string, status = 'confirmed'): Promise<Booked> {
  const { organizationId } = app.tenant;
  const variantId = await stockedVariant(app, organizationId);
  const { id: orderId } = await bareOrder(app, organizationId, [{ variantId, quantity: 1 }]);
  await app.rows(`update orders set customer_name = 'Budi', customer_phone = '+628123' where id = $1`, [orderId]);
  const bookingId = uuidv7();
  hours += 1;
  await app.rows(
    `insert into bookings (organization_id, id, order_id, service_id, staff_id, status, starts_at, ends_at, during, timezone)
     values ($1, $2, $3, $4, $5, $6, $7, $8, tstzrange($7, $8), 'Asia/Jakarta')`,
    [organizationId, bookingId, orderId, serviceId, staff.id, status, hour(hours * 2), hour(hours * 2 + 1)],
  );
  return { orderId, bookingId };
}

/** A change of the booking, and its wish in the same transaction. */
export const changed = (
  app: App,
  { orderId, bookingId }: Booked,
  set = 'updated_at = clock_timestamp()',
  params: unknown[] = [],
) =>
  transactIn(app)({ locks: [orderLock(orderId)] }, async ({ own }) => {
    await own.sql(`update bookings set ${set} where organization_id = $1 and id = $2`, [bookingId, ...params]);
    return wishCalendar(own, { orderId, bookingId });
  });

export const moved = (app: App, booked: Booked, to: string) =>
  changed(
    app,
    booked,
    `starts_at = $3, ends_at = $3::timestamptz + interval '1 hour', during = tstzrange($3, $3::timestamptz + interval '1 hour')`,
    [to],
  );
export const cancelled = (app: App, booked: Booked) => changed(app, booked, `status = 'cancelled'`);
export const assigned = (app: App, booked: Booked, staff: Staff) => changed(app, booked, 'staff_id = $3', [staff.id]);

export const calendarOf = (app: App, { bookingId }: Booked): Promise<Body> =>
  app.one('select *, wanted::int as wanted, synced::int as synced from booking_calendars where booking_id = $1', [bookingId]);

/** What the calendar service has for a booking, deleted ones too. */
export async function eventsOf(app: App, { bookingId }: Booked): Promise<Body[]> {
  const { events } = await app.control('GET', '/calendar/events');
  return events.filter((event: Body) => event.extendedProperties?.private?.kanal_booking === bookingId);
}

export const liveEventsOf = async (app: App, booked: Booked): Promise<Body[]> =>
  (await eventsOf(app, booked)).filter(({ status }) => status !== 'cancelled');
