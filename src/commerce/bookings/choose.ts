import type { Own } from '../../platform/database/own.ts';
import { AppError, type ErrorDetail, invalidField } from '../../platform/errors.ts';
import { now } from '../../platform/time/clock.ts';
import { isMoment, momentMs } from '../../platform/time/moment.ts';
import { type Bookable, findBookable, type Person, takenTimes } from './bookable.ts';
import type { BookingMode } from './booking.entity.ts';
import { duringOf, freeStarts, isWithinHours, rememberedClocks, type Span, workingStarts } from './slots.ts';

export type GivenBooking = {
  service_id: string;
  /** Absent: whoever is free, in the order of the service. */
  staff_id?: string;
  starts_at: string;
  mode?: BookingMode;
  timezone?: string;
  /** `none`, `calendar`, `video` or an https link. */
  video_conference_override?: string;
};

export type Choice = {
  service: Bookable;
  start: number;
  end: number;
  during: Span;
  /** Who works then and had the time free at that moment, in the order of the service. */
  free: Person[];
};

/** A field of a body, below the one that holds the booking; empty: the body is the booking. */
export const fieldIn = (field: string, name: string) => (field ? `${field}.${name}` : name);

export function slotTaken(field: string): AppError {
  const message = 'The time is taken';
  const detail: ErrorDetail = { field: fieldIn(field, 'starts_at'), location: 'body', code: 'slot.taken', message };
  return new AppError('slot_taken', message, { details: [detail] });
}

/**
 * Checks what was asked for, and finds who can do it. Throws 422 at the field, 409 `slot_taken`. `exceptId`: a booking that is to be moved.
 * Who is found may be booked by somebody else before this is written: the database decides then.
 */
export async function chooseTime(own: Own, given: GivenBooking, field: string, exceptId: string | null = null): Promise<Choice> {
  const refused = (name: string, message: string, code: string) => invalidField(fieldIn(field, name), message, code);
  if (!isMoment(given.starts_at)) throw refused('starts_at', 'starts_at must be a time with its zone', 'string.isoDate');
  const start = momentMs(given.starts_at);
  const window = { start, end: start + 1 };
  const service = await findBookable(own, { id: given.service_id, staffId: given.staff_id, within: window });
  if (!service) throw refused('service_id', 'No active service has this id', 'reference.unknown');
  const asked = service.staff;
  if (given.staff_id !== undefined && asked.length === 0)
    throw refused('staff_id', 'Nobody with this id does the service', 'reference.unknown');
  if (asked.length === 0) throw refused('service_id', 'Nobody does the service', 'service.staff');

  const present = now();
  if (start <= present) throw refused('starts_at', 'starts_at must be in the future', 'date.future');
  if (start < present + service.lead_minutes * 60_000)
    throw refused('starts_at', `starts_at must be at least ${service.lead_minutes} minutes ahead`, 'booking.lead');
  if (start > present + service.horizon_days * 86_400_000)
    throw refused('starts_at', `starts_at must be within ${service.horizon_days} days`, 'booking.horizon');
  const clocks = rememberedClocks();
  const working = asked.filter((person) => workingStarts(person, service, window, clocks).length > 0);
  if (working.length === 0) {
    const isOffStep = asked.some((person) => isWithinHours(person, service, start));
    throw isOffStep
      ? refused('starts_at', `starts_at must be on a step of ${service.step_minutes} minutes`, 'booking.step')
      : refused('starts_at', 'Nobody works at this time', 'booking.hours');
  }
  const during = duringOf(service, start);
  const ids = working.map(({ id }) => id);
  const taken = await takenTimes(own, ids, during, exceptId);
  const free = working.filter(({ id }) => freeStarts([start], service, taken.get(id)!).length > 0);
  if (free.length === 0) throw slotTaken(field);
  return { service, start, end: start + service.duration_minutes * 60_000, during, free };
}
