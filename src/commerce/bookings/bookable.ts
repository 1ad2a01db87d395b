import { sql } from 'kysely';
import type { Own } from '../../platform/database/own.ts';
import { statement } from '../../platform/database/statement.ts';
import type { RowOf } from '../../platform/database/tables.ts';
import { momentMs } from '../../platform/time/moment.ts';
import type { Booking } from './booking.entity.ts';
import type { HoursOverride } from './hours.ts';
import { Service, ServiceStaff } from './service.entity.ts';
import type { Span } from './slots.ts';
import { Staff } from './staff.entity.ts';

const serviceColumns = [
  'id',
  'name',
  'duration_minutes',
  'buffer_before',
  'buffer_after',
  'step_minutes',
  'lead_minutes',
  'horizon_days',
  'cancel_until_minutes',
  'conference',
  'location',
] as const;

/** Who does a service, and when they work. */
export type Person = RowOf<typeof Staff, 'id' | 'name' | 'timezone' | 'weekly_hours' | 'overrides'>;
export type Bookable = RowOf<typeof Service, (typeof serviceColumns)[number]> & {
  /** In the order of the service; or the one who was asked for. */
  staff: Person[];
};

const serviceById = statement((select, { id }: { id: string }) =>
  select(Service).select(serviceColumns).where('id', '=', id).where('active', '=', true),
);
/** A member may have hundreds of days of other hours, of which a search asks about a few. */
const overridesWithin = (first: string, last: string) => sql<HoursOverride[]>`
  coalesce((
    select jsonb_agg(o.override order by o.place)
      from jsonb_array_elements(staff.overrides) with ordinality as o(override, place)
     where o.override->>'date' between ${first} and ${last}), '[]')`;

type Asked = { serviceId: string; staffId: string | null; first: string; last: string };

const staffOf = statement((select, { serviceId, staffId, first, last }: Asked) =>
  select(Staff, ServiceStaff)
    .innerJoin('service_staff', 'service_staff.staff_id', 'staff.id')
    .select(['staff.id', 'staff.name', 'staff.timezone', 'staff.weekly_hours', overridesWithin(first, last).as('overrides')])
    .where('service_staff.service_id', '=', serviceId)
    .where('staff.active', '=', true)
    .where(sql<boolean>`(${staffId}::uuid is null or staff.id = ${staffId}::uuid)`)
    .orderBy('service_staff.position')
    .orderBy('staff.id'),
);

/** The clocks of two zones are 26 hours apart at most. */
const aroundMs = 2 * 86_400_000;
const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);

/** `staffId`: of who does it only this one. `within`: their hours are known on these days, whatever the zone. */
export type BookableAsked = { id: string; staffId?: string | undefined; within: Span };

/** Undefined: unknown, or it is not active. */
export async function findBookable(own: Own, { id, staffId, within }: BookableAsked): Promise<Bookable | undefined> {
  const [service] = await serviceById(own, { id });
  const days = { first: dayOf(within.start - aroundMs), last: dayOf(within.end + aroundMs) };
  return service && { ...service, staff: await staffOf(own, { serviceId: id, staffId: staffId ?? null, ...days }) };
}

/** SQL: `&&` of ranges, through the index of the exclusion constraint, over two tables. The copied times of a person are few. */
const taken = `
  select staff_id, lower(during) as starts_at, upper(during) as ends_at
    from bookings
   where organization_id = $1
     and staff_id = any($2::uuid[])
     and during && tstzrange($3, $4)
     and status in ('held', 'confirmed', 'checked_in')
     and id is distinct from $5
   union all
  select staff_id, lower(during), upper(during)
    from staff_busy
   where organization_id = $1
     and staff_id = any($2::uuid[])
     and during && tstzrange($3, $4)`;

type Taken = RowOf<typeof Booking, 'staff_id' | 'starts_at' | 'ends_at'>;

/** What each of them cannot give away, by bookings and by their calendars. `exceptId`: a booking that is to be moved. */
export async function takenTimes(
  own: Own,
  staffIds: string[],
  within: Span,
  exceptId: string | null = null,
): Promise<Map<string, Span[]>> {
  const rows = await own.sql<Taken>(taken, [
    staffIds,
    new Date(within.start).toISOString(),
    new Date(within.end).toISOString(),
    exceptId,
  ]);
  const times = new Map<string, Span[]>(staffIds.map((id) => [id, []]));
  for (const { staff_id, starts_at, ends_at } of rows)
    times.get(staff_id)!.push({ start: momentMs(starts_at), end: momentMs(ends_at) });
  return times;
}
