import type { EarlierEvent } from '../../../src/commerce/calendar/booking-calendar.entity.ts';
import { eventContent } from '../../../src/commerce/calendar/content.ts';
import { eventIdOf } from '../../../src/commerce/calendar/event-id.ts';
import { type CalendarValues, claimEntry, type LastStep, recordSteps } from '../../../src/commerce/calendar/record.ts';
import type { Wished } from '../../../src/commerce/calendar/wished.ts';
import { now } from '../../../src/platform/database/columns.ts';
import { CalendarRefused } from '../../../src/providers/calendar/error-codes.ts';
import type { CalendarEvent } from '../../../src/providers/calendar/provider.ts';
import { ProviderFailed } from '../../../src/providers/errors.ts';
import type { WriteBefore } from '../../connections/with-connection.ts';
import type { RunContext } from '../../handler.ts';
import type { Call } from './reach.ts';

/** `notes`: what an order says of its calendar though it is in step. */
export type Put = {
  wished: Wished;
  values: LastStep & Pick<CalendarValues, 'conference_asked_at'>;
  notes: string[];
  isConferencePending: boolean;
};

/** New ids and repeated looks until then; each is one call. */
const maxSteps = 10;
const maxEtags = 3;

type At = { context: RunContext<unknown>; call: Call; wished: Wished };

/**
 * Brings the entry to what is wished, whatever is there: insert, or patch under its etag. A taken id is ours, standing or deleted, or somebody
 * else's; an entry that cannot be had back is made anew under the next generation. Each step may be repeated.
 */
export async function putEvent({ context, call, wished: given }: At): Promise<Put> {
  const { own, providers } = context;
  const calendar = providers.calendar;
  const calendarId = given.staff_calendar!;
  let wished = given;
  let { etag } = given;
  let asksRoom = true;
  let isLost = false;
  let etagsRead = 0;
  for (let step = 0; step < maxSteps; step += 1) {
    const eventId = eventIdOf(own.organizationId, wished.booking_id, wished.generation);
    const place = { calendarId, eventId };
    const at = { connection_id: given.staff_connection!, calendar_id: calendarId };
    const claimed = wished.event_id === eventId ? wished : { ...wished, ...at, event_id: eventId, etag: null };
    const before: WriteBefore | undefined = claimed === wished ? undefined : (turn) => claimEntry(context, claimed, turn);
    wished = claimed;
    const content = eventContent(wished, eventId, asksRoom);
    try {
      const event = await call(
        (token) =>
          etag === null ? calendar.insertEvent(token, place, content) : calendar.patchEvent(token, place, etag, content),
        before,
      );
      return outcomeOf(event, wished, { asksRoom, isLost });
    } catch (error) {
      if (!(error instanceof CalendarRefused)) throw error;
      if (error.reason === 'conference' && asksRoom && content.conference.kind === 'ask') {
        asksRoom = false;
        continue;
      }
      const there = await foundAfter(error, etag !== null, () => call((token) => calendar.getEvent(token, place)));
      const isOurs = there?.mark === wished.booking_id;
      const canBeHad = isOurs && (there.status === 'confirmed' || etag === null);
      if (canBeHad && error.reason === 'forbidden') throw error;
      if (canBeHad) {
        etagsRead += 1;
        if (etagsRead > maxEtags) break;
        etag = there.etag;
        continue;
      }
      isLost ||= given.etag !== null;
      etag = null;
      wished = await nextGeneration(context, wished, there === undefined || isOurs ? [{ ...at, event_id: eventId }] : []);
    }
  }
  throw new ProviderFailed('The event in the calendar keeps changing');
}

/** What stands under the id, after a refusal that leaves it open. Throws the refusal where it is about something else. */
async function foundAfter(
  refusal: CalendarRefused,
  wasThere: boolean,
  read: () => Promise<CalendarEvent>,
): Promise<CalendarEvent | undefined> {
  const { reason } = refusal;
  if (wasThere && (reason === 'missing' || reason === 'deleted')) return undefined;
  // A deleted entry that is changed is forbidden, as an entry is that this account may not change.
  const isOpen = wasThere ? reason === 'changed' || reason === 'forbidden' : reason === 'exists';
  if (!isOpen) throw refusal;
  try {
    return await read();
  } catch (error) {
    const isGone = error instanceof CalendarRefused && (error.reason === 'missing' || error.reason === 'deleted');
    if (!isGone) throw error;
    return undefined;
  }
}

/** `left`: ours, and deleted by what the calendar says. Should it be wrong, no second entry may stand: it is deleted once more. */
async function nextGeneration({ transact }: RunContext<unknown>, wished: Wished, left: EarlierEvent[]): Promise<Wished> {
  const generation = wished.generation + 1;
  const cleared = {
    earlier: [...wished.earlier, ...left],
    generation,
    event_id: null,
    etag: null,
    event_url: '',
    meet_url: '',
    conference_asked_at: null,
  };
  await transact({}, ({ own }) => recordSteps(own, wished, cleared));
  return { ...wished, ...cleared, waited_ms: null };
}

const conferencePatienceMs = 120_000;

function outcomeOf(
  { etag, url, conference }: CalendarEvent,
  wished: Wished,
  { asksRoom, isLost }: { asksRoom: boolean; isLost: boolean },
): Put {
  const { room, waited_ms } = wished;
  const isWanted = room === 'calendar';
  const isPending = isWanted && asksRoom && conference.state === 'pending';
  const isOverdue = isPending && waited_ms !== null && waited_ms >= conferencePatienceMs;
  const isUnavailable = isWanted && !isPending && conference.url === '';
  return {
    wished,
    values: {
      etag,
      event_url: url,
      meet_url: isWanted ? conference.url : '',
      ...(isPending && waited_ms === null && { conference_asked_at: now() }),
    },
    notes: [
      ...(isLost ? ['event_recreated'] : []),
      ...(isOverdue ? ['conference_pending'] : []),
      ...(isUnavailable ? ['conference_unavailable'] : []),
    ],
    isConferencePending: isPending && !isOverdue,
  };
}
