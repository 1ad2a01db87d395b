import Joi from 'joi';
import { cancelEvent, shown } from '../calendar/events.ts';
import type { StoredEvent } from '../calendar/store.ts';
import type { State } from '../state.ts';
import { ControlError, check } from './check.ts';

const placeSchema = Joi.object<{ calendar_id?: string }>({ calendar_id: Joi.string() }).default({});

type Edit = { calendar_id?: string; change: Record<string, unknown> };
const editSchema = Joi.object<Edit>({
  calendar_id: Joi.string(),
  change: Joi.object().unknown().min(1).required().description('Fields of the event as the service writes them'),
});

const told = (event: StoredEvent) => ({ ...shown(event), calendar_id: event.calendarId });

/** Deleted ones too; `rooms`: every video room that was made. */
export const listEvents = ({ calendars }: State): object => ({ events: calendars.all().map(told), rooms: calendars.rooms });

/** A person deletes the event in the calendar's own pages. */
export function deleteEvent(state: State, id: string, body: unknown): object {
  const event = found(state, id, check(placeSchema, body ?? {}).calendar_id);
  if (event.status !== 'cancelled') cancelEvent(state, event);
  return told(event);
}

/** A person changes it there. */
export function editEvent(state: State, id: string, body: unknown): object {
  const { calendar_id, change } = check(editSchema, body);
  const event = found(state, id, calendar_id);
  Object.assign(event.written, change);
  return told(state.calendars.touch(event));
}

/** The same id may be in several calendars: a live one first. */
function found(state: State, id: string, calendarId: string | undefined): StoredEvent {
  const all = state.calendars.all().filter((event) => event.id === id && event.calendarId === (calendarId ?? event.calendarId));
  const event = all.find(({ status }) => status !== 'cancelled') ?? all[0];
  if (!event) throw new ControlError(404, `there is no event ${id}`);
  return event;
}

export const listMeetings = ({ meetings }: State): object => ({ meetings: meetings.all(), made: meetings.made });

export function deleteMeeting(state: State, id: string): object {
  const isDeleted = state.meetings.delete(Number(id));
  if (!isDeleted) throw new ControlError(404, `there is no meeting ${id}`);
  return { id };
}
