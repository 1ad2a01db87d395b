import type { EarlierEvent } from '../../../src/commerce/calendar/booking-calendar.entity.ts';
import { recordSteps } from '../../../src/commerce/calendar/record.ts';
import type { Wished } from '../../../src/commerce/calendar/wished.ts';
import { CalendarRefused } from '../../../src/providers/calendar/error-codes.ts';
import type { RunContext } from '../../handler.ts';
import { reach } from './reach.ts';

/**
 * An entry that is not wanted, or not there, becomes one of the earlier ones. It gets another generation, so that its end never meets the next
 * one. Where its connection was deleted, nobody can reach it: the next one may find it under the same id.
 */
export async function leaveEvent({ transact }: RunContext<unknown>, wished: Wished): Promise<Wished> {
  const { connection_id, calendar_id, event_id, staff_connection, staff_calendar, hasEvent, is_reachable } = wished;
  const isHere = hasEvent && connection_id === staff_connection && calendar_id === staff_calendar;
  if (event_id === null || connection_id === null || calendar_id === null || isHere) return wished;
  const generation = is_reachable ? wished.generation + 1 : wished.generation;
  const earlier = is_reachable ? [...wished.earlier, { connection_id, calendar_id, event_id }] : wished.earlier;
  const nothing = { connection_id: null, calendar_id: null, event_id: null, etag: null };
  const cleared = { ...nothing, event_url: '', meet_url: '', conference_asked_at: null, generation, earlier };
  await transact({}, ({ own }) => recordSteps(own, wished, cleared));
  return { ...wished, ...cleared, waited_ms: null };
}

/** Gone, whoever deleted it. */
const isGone = (error: unknown) => error instanceof CalendarRefused && (error.reason === 'missing' || error.reason === 'deleted');

/** Each by itself: one that cannot be reached keeps its place, and its fault is given back. */
export async function removeEarlier(
  context: RunContext<unknown>,
  wished: Wished,
): Promise<{ wished: Wished; faults: unknown[] }> {
  const faults: unknown[] = [];
  let left: EarlierEvent[] = wished.earlier;
  for (const event of wished.earlier) {
    try {
      const call = await reach(context, event.connection_id);
      const place = { calendarId: event.calendar_id, eventId: event.event_id };
      await call?.((token) => context.providers.calendar.deleteEvent(token, place)).catch((error: unknown) => {
        if (!isGone(error)) throw error;
      });
    } catch (error) {
      faults.push(error);
      continue;
    }
    left = left.filter((one) => one !== event);
    await context.transact({}, ({ own }) => recordSteps(own, wished, { earlier: left }));
  }
  return { wished: { ...wished, earlier: left }, faults };
}
