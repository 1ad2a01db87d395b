import { uuidv7 } from '../../src/platform/ids.ts';
import { giveToken, insertOrders } from '../commerce/orders.ts';
import { shopOf } from '../commerce/shop.ts';
import type { Side } from '../stage.ts';

export const [services, people] = [20, 100];
const zones = ['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Jakarta', 'Australia/Sydney'];
/** As many days and ranges as fit into the values of one request. */
const [days, rangesOfDay] = [400, 7];

const weeklyHours = [1, 2, 3, 4, 5, 6, 7].map((weekday) => ({ weekday, start: '00:00', end: '24:00' }));
const clock = (hour: number) => `${String(hour).padStart(2, '0')}:00`;
/** Of days that nobody asks for: what a search reads, and does not need. */
const overrides = Array.from({ length: days }, (_, day) => ({
  date: new Date(Date.UTC(2040, 0, 1 + day)).toISOString().slice(0, 10),
  ranges: Array.from({ length: rangesOfDay }, (_, range) => ({ start: clock(3 * range), end: clock(3 * range + 2) })),
}));

export type DearCalendar = { serviceIds: string[]; token: string };

/** Services of the greatest number of people, who work all day and begin every five minutes; and the page of a customer who has booked one of them. */
export async function openDearCalendar(side: Side): Promise<DearCalendar> {
  const { sql, tenant } = side;
  const { organizationId } = tenant;
  const [serviceIds, staffIds] = [services, people].map((count) => Array.from({ length: count }, () => uuidv7())) as [
    string[],
    string[],
  ];
  await sql.query(
    `insert into services (organization_id, id, name, duration_minutes, step_minutes, horizon_days, location)
     select $1, id, 'Dear', 5, 5, 730, '1 Main St' from unnest($2::uuid[]) as x(id)`,
    [organizationId, serviceIds],
  );
  await sql.query(
    `insert into staff (organization_id, id, name, timezone, weekly_hours, overrides)
     select $1, id, 'Grace ' || n, ($3::text[])[1 + n % cardinality($3::text[])], $4, $5
       from unnest($2::uuid[]) with ordinality as x(id, n)`,
    [organizationId, staffIds, zones, JSON.stringify(weeklyHours), JSON.stringify(overrides)],
  );
  await sql.query(
    `insert into service_staff (organization_id, service_id, staff_id, position)
     select $1, s.id, p.id, p.n from unnest($2::uuid[]) as s(id), unnest($3::uuid[]) with ordinality as p(id, n)`,
    [organizationId, serviceIds, staffIds],
  );
  const { orderIds, bookings } = await insertOrders(side, await shopOf(side), 1, () => true);
  await sql.query('update bookings set service_id = $3, staff_id = $4 where organization_id = $1 and id = $2', [
    ...[organizationId, bookings[0]!.bookingId],
    ...[serviceIds[0], staffIds[0]],
  ]);
  await sql.query('analyze services, staff, service_staff, bookings');
  return { serviceIds, token: await giveToken(side, orderIds[0]!) };
}
