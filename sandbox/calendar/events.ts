import type { State } from '../state.ts';
import { problem } from './errors.ts';
import type { CalendarOf, StoredEvent } from './store.ts';

type Resource = Record<string, unknown>;
const object = (value: unknown): Resource =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Resource) : {};

const ownFields = ['id', 'status', 'etag', 'created', 'updated', 'conferenceData', 'hangoutLink', 'htmlLink', 'kind', 'sequence'];
const writable = (body: Resource) => Object.fromEntries(Object.entries(body).filter(([name]) => !ownFields.includes(name)));

/** Objects are merged field by field, null takes a field away. */
function merged(before: unknown, change: unknown): unknown {
  if (typeof change !== 'object' || change === null || Array.isArray(change)) return change;
  const result: Resource = { ...object(before) };
  for (const [name, value] of Object.entries(change)) {
    if (value === null) delete result[name];
    else result[name] = merged(result[name], value);
  }
  return result;
}

function zoneIsKnown(zone: unknown): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: String(zone) });
    return true;
  } catch {
    return false;
  }
}

function instantOf(side: 'start' | 'end', value: unknown): number {
  const { dateTime, date, timeZone } = object(value);
  if (dateTime === undefined && date === undefined) throw problem(400, `Missing ${side} time.`, 'required');
  if (timeZone !== undefined && !zoneIsKnown(timeZone)) throw problem(400, `Invalid time zone definition for ${side} time.`);
  const instant = Date.parse(String(dateTime ?? date));
  if (Number.isNaN(instant)) throw problem(400, 'Bad Request', 'badRequest');
  return instant;
}

function checkTimes({ start, end }: Resource): void {
  if (instantOf('end', end) <= instantOf('start', start))
    throw problem(400, 'The specified time range is empty.', 'timeRangeEmpty');
}

export const timesOf = ({ written }: StoredEvent) => ({
  start: instantOf('start', written.start),
  end: instantOf('end', written.end),
});

export function insertEvent(state: State, calendar: CalendarOf, body: Resource, takesRooms: boolean): StoredEvent {
  assertWritable(calendar);
  const id = body.id === undefined ? undefined : String(body.id);
  if (id !== undefined && !/^[a-v0-9]{5,1024}$/.test(id)) throw problem(400, 'Invalid resource id value.');
  checkTimes(body);
  checkRoom(state, body, takesRooms);
  if (id !== undefined && state.calendars.find(calendar.id, id)) throw problem(409);
  const event = state.calendars.add(calendar.id, id, writable(body));
  if (takesRooms) changeRoom(state, event, body);
  return event;
}

export function patchEvent(state: State, event: StoredEvent, body: Resource, takesRooms: boolean): StoredEvent {
  const written = merged(event.written, writable(body)) as Resource;
  checkTimes(written);
  checkRoom(state, body, takesRooms);
  if (event.status === 'cancelled' && body.status !== 'confirmed') throw problem(403);
  event.written = written;
  event.status = body.status === 'cancelled' ? 'cancelled' : 'confirmed';
  event.sequence += 1;
  if (takesRooms) changeRoom(state, event, body);
  return state.calendars.touch(event);
}

export function cancelEvent(state: State, event: StoredEvent): void {
  if (event.status === 'cancelled') throw problem(410);
  event.status = 'cancelled';
  event.sequence += 1;
  state.calendars.touch(event);
}

export function assertWritable({ accessRole }: CalendarOf): void {
  if (accessRole !== 'owner') throw problem(403, 'You need to have writer access to this calendar.', 'requiredAccessLevel');
}

function checkRoom(state: State, body: Resource, takesRooms: boolean): void {
  if (!takesRooms || !body.conferenceData) return;
  const { createRequest } = object(body.conferenceData);
  if (createRequest === undefined) return;
  const { requestId, conferenceSolutionKey } = object(createRequest);
  if (typeof requestId !== 'string' || requestId === '') throw problem(400, 'Missing conference request id.', 'required');
  const isKnown = object(conferenceSolutionKey).type === 'hangoutsMeet';
  if (!isKnown || state.behaviour.conference === 'invalid') throw problem(400, 'Invalid conference type value.');
}

function changeRoom(state: State, event: StoredEvent, body: Resource): void {
  if (body.conferenceData === null) event.conference = null;
  const { createRequest } = object(body.conferenceData);
  if (createRequest !== undefined) state.calendars.askRoom(event, String(object(createRequest).requestId), 'hangoutsMeet');
}

const roomUrl = (code: string) => `https://meet.sandbox.example/${code}`;

function roomOf({ conference }: StoredEvent): Resource {
  if (!conference) return {};
  const { requestId, type, state, code } = conference;
  const createRequest = { requestId, conferenceSolutionKey: { type }, status: { statusCode: state } };
  if (state !== 'success') return { conferenceData: { createRequest } };
  const entryPoints = [{ entryPointType: 'video', uri: roomUrl(code), label: roomUrl(code).slice('https://'.length) }];
  const conferenceSolution = { key: { type }, name: 'Sandbox Meet' };
  return { hangoutLink: roomUrl(code), conferenceData: { createRequest, entryPoints, conferenceSolution, conferenceId: code } };
}

export const etagOf = ({ version }: StoredEvent) => `"${version}"`;

export const shown = (event: StoredEvent): Resource => ({
  kind: 'calendar#event',
  etag: etagOf(event),
  id: event.id,
  status: event.status,
  htmlLink: `https://calendar.sandbox.example/event?eid=${event.id}`,
  created: event.created,
  updated: event.updated,
  ...event.written,
  creator: { email: event.calendarId },
  organizer: { email: event.calendarId, self: true },
  iCalUID: `${event.id}@calendar.sandbox.example`,
  sequence: event.sequence,
  ...roomOf(event),
});
