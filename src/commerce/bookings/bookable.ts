import type { Own } from '../../platform/database/own.ts';
import { statement } from '../../platform/database/statement.ts';
import type { RowOf } from '../../platform/database/tables.ts';
import { momentMs } from '../../platform/time/moment.ts';
import type { Booking } from './booking.entity.ts';
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
  /** In the order of the service. */
  staff: Person[];
};

const serviceById = statement((select, { id }: { id: string }) =>
  select(Service).select(serviceColumns).where('id', '=', id).where('active', '=', true),
);
const staffOf = statement((select, { serviceId }: { serviceId: string }) =>
  select(Staff, ServiceStaff)
    .innerJoin('service_staff', 'service_staff.staff_id', 'staff.id')
    .select(['staff.id', 'staff.name', 'staff.timezone', 'staff.weekly_hours', 'staff.overrides'])
    .where('service_staff.service_id', '=', serviceId)
    .where('staff.active', '=', true)
    .orderBy('service_staff.position')
    .orderBy('staff.id'),
);

/** Undefined: unknown, or it is not active. */
export async function findBookable(own: Own, id: string): Promise<Bookable | undefined> {
  const [service] = await serviceById(own, { id });
  return service && { ...service, staff: await staffOf(own, { serviceId: id }) };
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
