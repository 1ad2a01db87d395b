import { ProviderFailed, ProviderUnknown } from '../errors.ts';
import { object, textOf } from '../messaging-app/json.ts';
import type { Busy, CalendarEvent, CalendarHead, Conference } from './provider.ts';

/** Throws ProviderUnknown for what is no entry: the request may have taken effect. */
export function eventOf(reply: unknown): CalendarEvent {
  const event = object(reply);
  const { id, etag, status } = event;
  if (typeof id !== 'string' || typeof etag !== 'string') throw new ProviderUnknown('The answer of the calendar is no event');
  const { kanal_booking: mark } = object(object(event.extendedProperties).private);
  return {
    id,
    etag,
    status: status === 'cancelled' ? 'cancelled' : 'confirmed',
    url: httpsOf(event.htmlLink),
    mark: typeof mark === 'string' ? mark : null,
    conference: conferenceOf(event),
  };
}

const states: Record<string, Conference['state']> = { pending: 'pending', failure: 'failed', success: 'ready' };

function conferenceOf(event: Record<string, unknown>): Conference {
  const { createRequest, entryPoints } = object(event.conferenceData);
  const points = Array.isArray(entryPoints) ? entryPoints.map(object) : [];
  const video = points.find(({ entryPointType }) => entryPointType === 'video');
  const url = httpsOf(event.hangoutLink) || httpsOf(video?.uri);
  if (url) return { state: 'ready', url };
  const told = textOf(object(object(createRequest).status).statusCode);
  if (!told) return { state: 'none', url: '' };
  // One that is made and has no address cannot be joined.
  const state = states[told] ?? 'pending';
  return { state: state === 'ready' ? 'failed' : state, url: '' };
}

/** An address that is shown to people: never `javascript:`. */
const httpsOf = (value: unknown) => (typeof value === 'string' && /^https:\/\//i.test(value) && URL.canParse(value) ? value : '');

export function calendarHeadOf(item: unknown): CalendarHead {
  const { id, summary, summaryOverride, timeZone, primary, accessRole } = object(item);
  return {
    id: textOf(id),
    name: textOf(summaryOverride) || textOf(summary),
    timezone: textOf(timeZone),
    isPrimary: primary === true,
    isWritable: accessRole === 'owner' || accessRole === 'writer',
  };
}

export function busyOf(reply: unknown, calendarId: string): { busy: Busy[]; reason: string } {
  const { busy, errors } = object(object(object(reply).calendars)[calendarId]);
  const [fault] = Array.isArray(errors) ? errors : [];
  // Silence is not free time.
  if (!fault && !Array.isArray(busy)) throw new ProviderFailed('The calendar did not say when it is busy');
  const times = Array.isArray(busy) ? busy.map(object) : [];
  return {
    busy: times.map(({ start, end }) => ({ from: textOf(start), to: textOf(end) })),
    reason: textOf(object(fault).reason),
  };
}
