import type { Own } from '../../platform/database/own.ts';
import { statement } from '../../platform/database/statement.ts';
import { invalidField, notFound } from '../../platform/errors.ts';
import { now } from '../../platform/time/clock.ts';
import { CommerceSettings } from '../settings.entity.ts';
import { findBookable, takenTimes } from './bookable.ts';
import { daysIn, freeStarts, shownIn, workingStarts } from './slots.ts';

export const maxSlotDays = 31;

/** `from`, `to`: days in `timezone`, both whole. */
export type SlotRequest = { from: string; to: string; staff_id?: string; timezone?: string };
export type Slot = { starts_at: string; ends_at: string; local_start: string; staff_ids: string[] };

const storeZone = statement((select) => select(CommerceSettings).select('timezone'));

const refused = (field: string, message: string, code: string) => invalidField(field, message, code, 'query');

/**
 * The starts that can be booked at this moment, and by whom, in the order of the service. Throws 404 for a service that is none or not
 * active, 422 at the parameter. `exceptId`: a booking that is to be moved keeps no time from itself.
 */
export async function freeSlots(
  own: Own,
  serviceId: string,
  { from, to, staff_id, timezone }: SlotRequest,
  exceptId?: string,
): Promise<{ timezone: string; slots: Slot[] }> {
  if (to < from) throw refused('to', 'to must not be before from', 'date.min');
  if (Date.parse(to) - Date.parse(from) >= maxSlotDays * 86_400_000)
    throw refused('to', `from and to must name at most ${maxSlotDays} days`, 'date.max');
  const service = await findBookable(own, serviceId);
  if (!service) throw notFound('Service');
  const people = staff_id === undefined ? service.staff : service.staff.filter(({ id }) => id === staff_id);
  if (staff_id !== undefined && people.length === 0)
    throw refused('staff_id', 'Nobody with this id does the service', 'reference.unknown');
  const [settings] = await storeZone(own, {});
  const zone = timezone ?? (staff_id === undefined ? undefined : people[0]?.timezone) ?? settings?.timezone ?? 'UTC';
  const days = daysIn(zone, from, to);
  // The clock has parts of a millisecond, which no moment of a calendar has.
  const present = Math.ceil(now());
  // A start in this very moment would be past when it is booked.
  const start = Math.max(days.start, present + service.lead_minutes * 60_000 + 1);
  const end = Math.min(days.end, present + service.horizon_days * 86_400_000);
  if (start >= end || people.length === 0) return { timezone: zone, slots: [] };

  const room = (service.duration_minutes + service.buffer_before + service.buffer_after) * 60_000;
  const taken = await takenTimes(
    own,
    people.map(({ id }) => id),
    { start: start - room, end: end + room },
    exceptId,
  );
  const byStart = new Map<number, string[]>();
  for (const person of people) {
    const working = workingStarts(person, service, { start, end });
    for (const at of freeStarts(working, service, taken.get(person.id)!))
      byStart.set(at, [...(byStart.get(at) ?? []), person.id]);
  }
  const sorted = [...byStart].sort(([one], [other]) => one - other);
  return {
    timezone: zone,
    slots: sorted.map(([at, staff_ids]) => ({
      starts_at: new Date(at).toISOString(),
      ends_at: new Date(at + service.duration_minutes * 60_000).toISOString(),
      local_start: shownIn(zone, at),
      staff_ids,
    })),
  };
}
