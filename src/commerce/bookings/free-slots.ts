import type { Own } from '../../platform/database/own.ts';
import { statement } from '../../platform/database/statement.ts';
import { invalidField, notFound } from '../../platform/errors.ts';
import { restingSlices } from '../../platform/load/slices.ts';
import { now } from '../../platform/time/clock.ts';
import { CommerceSettings } from '../settings.entity.ts';
import { type Bookable, findBookable, takenTimes } from './bookable.ts';
import type { Hours } from './hours.ts';
import { daysIn, eachDay, freeStarts, rememberedClocks, type Span, shownIn, workingStarts } from './slots.ts';

export const maxSlotDays = 31;
/** Of one reply. A day has 288 starts at most, with 28,800 names: the first day is always whole. */
export const maxSlots = 2_000;
const maxNames = 20_000;

/** `from`, `to`: days in `timezone`, both whole. */
export type SlotRequest = { from: string; to: string; staff_id?: string; timezone?: string };
export type Slot = { starts_at: string; ends_at: string; local_start: string; staff_ids: string[] };
/** `nextFrom`: the first of the days that were left out, since they would have been too many slots. */
export type Slots = { timezone: string; slots: Slot[]; nextFrom: string | null };

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
): Promise<Slots> {
  if (to < from) throw refused('to', 'to must not be before from', 'date.min');
  if (Date.parse(to) - Date.parse(from) >= maxSlotDays * 86_400_000)
    throw refused('to', `from and to must name at most ${maxSlotDays} days`, 'date.max');
  const within = { start: Date.parse(from), end: Date.parse(to) };
  const service = await findBookable(own, { id: serviceId, staffId: staff_id, within });
  if (!service) throw notFound('Service');
  const people = service.staff;
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
  if (start >= end || people.length === 0) return { timezone: zone, slots: [], nextFrom: null };

  const room = (service.duration_minutes + service.buffer_before + service.buffer_after) * 60_000;
  const taken = await takenTimes(
    own,
    people.map(({ id }) => id),
    { start: start - room, end: end + room },
    exceptId,
  );
  return slotsOf({ service, people, taken, zone, from, to }, { start, end });
}

export type Search = {
  service: Pick<Bookable, 'duration_minutes' | 'buffer_before' | 'buffer_after' | 'step_minutes'>;
  people: (Hours & { id: string })[];
  taken: Map<string, Span[]>;
  zone: string;
  from: string;
  to: string;
};

/** Pure. Day by day, in slices: 100 people for a month at steps of five minutes are 890,000 starts. */
export async function slotsOf({ service, people, taken, zone, from, to }: Search, within: Span): Promise<Slots> {
  const turnOfOthers = restingSlices();
  const clocks = rememberedClocks();
  const slots: Slot[] = [];
  let names = 0;
  for (const { date, span } of eachDay(zone, from, to)) {
    const window = { start: Math.max(within.start, span.start), end: Math.min(within.end, span.end) };
    if (window.start >= window.end) continue;
    const byStart = new Map<number, string[]>();
    let namesOfDay = 0;
    for (const person of people) {
      const starts = freeStarts(workingStarts(person, service, window, clocks), service, taken.get(person.id) ?? []);
      namesOfDay += starts.length;
      for (const at of starts) {
        const known = byStart.get(at);
        if (known) known.push(person.id);
        else byStart.set(at, [person.id]);
      }
      const turn = turnOfOthers();
      if (turn) await turn;
    }
    const isTooMuch = slots.length + byStart.size > maxSlots || names + namesOfDay > maxNames;
    if (slots.length > 0 && isTooMuch) return { timezone: zone, slots, nextFrom: date };
    names += namesOfDay;
    for (const [at, staff_ids] of [...byStart].sort(([one], [other]) => one - other)) {
      slots.push({
        starts_at: new Date(at).toISOString(),
        ends_at: new Date(at + service.duration_minutes * 60_000).toISOString(),
        local_start: shownIn(zone, at),
        staff_ids,
      });
      const turn = turnOfOthers();
      if (turn) await turn;
    }
  }
  return { timezone: zone, slots, nextFrom: null };
}
