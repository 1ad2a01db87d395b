import type { State } from '../state.ts';
import { problem } from './errors.ts';
import { shown, timesOf } from './events.ts';
import type { CalendarOf, StoredEvent } from './store.ts';

type Query = Record<string, unknown>;

const timeOf = (value: unknown): number | undefined => {
  if (value === undefined) return undefined;
  const time = Date.parse(String(value));
  if (Number.isNaN(time)) throw problem(400, 'Bad Request', 'badRequest');
  return time;
};

/** `name=value`, one or several, all of which must be there. */
const propertiesOf = (value: unknown): [string, string][] =>
  (Array.isArray(value) ? value : value === undefined ? [] : [value]).map((text) => {
    const [name = '', ...rest] = String(text).split('=');
    return [name, rest.join('=')];
  });

const privateOf = ({ written }: StoredEvent) =>
  ((written.extendedProperties as { private?: Record<string, string> } | undefined)?.private ?? {}) as Record<string, string>;

export function listEvents(state: State, calendar: CalendarOf, query: Query): object {
  const { timeMin, timeMax, showDeleted, privateExtendedProperty, maxResults = '250', pageToken = '0', orderBy } = query;
  if (orderBy === 'startTime' && query.singleEvents !== 'true')
    throw problem(400, 'The requested ordering is not available for the particular query.');
  const [from, to] = [timeOf(timeMin), timeOf(timeMax)];
  const wanted = propertiesOf(privateExtendedProperty);
  const found = state.calendars
    .all()
    .filter((event) => event.calendarId === calendar.id && (event.status !== 'cancelled' || showDeleted === 'true'))
    .filter((event) => wanted.every(([name, value]) => privateOf(event)[name] === value))
    .filter((event) => {
      const { start, end } = timesOf(event);
      return (from === undefined || end > from) && (to === undefined || start < to);
    });
  if (orderBy === 'startTime') found.sort((one, other) => timesOf(one).start - timesOf(other).start);
  const first = Number(pageToken);
  const size = Math.min(Number(maxResults), 2_500);
  if (!Number.isInteger(first) || !Number.isInteger(size) || size < 1) throw problem(400);
  const page = found.slice(first, first + size);
  const next = first + size < found.length ? { nextPageToken: String(first + size) } : {};
  const { summary, accessRole } = calendar;
  const head = { kind: 'calendar#events', etag: '"1"', summary, timeZone: 'UTC', accessRole, defaultReminders: [] };
  return { ...head, ...next, items: page.map(shown) };
}
