import { ProviderRefused, ProviderUnknown } from '../errors.ts';
import type { JsonClient } from '../json/client.ts';
import { object } from '../messaging-app/json.ts';
import type { Busy, Calendar, EventContent, EventPlace } from './provider.ts';
import { busyOf, calendarHeadOf, eventOf } from './replies.ts';

/** Without this version the service ignores what is said of a video room. Nobody is mailed: Kanal tells its customers itself. */
const writing = { conferenceDataVersion: '1', sendUpdates: 'none' };
const pageSize = '250';

export function googleCalendar({ call }: JsonClient): Calendar {
  const eventsOf = (calendarId: string) => `calendars/${encodeURIComponent(calendarId)}/events`;
  const eventAt = ({ calendarId, eventId }: EventPlace) => `${eventsOf(calendarId)}/${encodeURIComponent(eventId)}`;

  return {
    async insertEvent(token, place, content) {
      const json = { id: place.eventId, ...bodyOf(content) };
      return eventOf(await call({ method: 'POST', path: eventsOf(place.calendarId), token, search: writing, json }));
    },
    async getEvent(token, place) {
      return eventOf(await call({ method: 'GET', path: eventAt(place), token }));
    },
    async patchEvent(token, place, etag, content) {
      const json = { status: 'confirmed', ...bodyOf(content) };
      const headers = { 'if-match': etag };
      return eventOf(await call({ method: 'PATCH', path: eventAt(place), token, search: writing, json, headers }));
    },
    async deleteEvent(token, place) {
      await call({ method: 'DELETE', path: eventAt(place), token, search: { sendUpdates: 'none' } });
    },
    async listCalendars(token, from) {
      const search: Record<string, string> = { maxResults: pageSize, ...(from !== undefined && { pageToken: from }) };
      const { items, nextPageToken: next } = object(await call({ method: 'GET', path: 'users/me/calendarList', token, search }));
      return {
        calendars: Array.isArray(items) ? items.map(calendarHeadOf) : [],
        next: typeof next === 'string' && next !== '' ? next : undefined,
      };
    },
    async listBusy(token, calendarId, { from, to }: Busy) {
      const json = { timeMin: from, timeMax: to, items: [{ id: calendarId }] };
      const reply = await call({ method: 'POST', path: 'freeBusy', token, json, isRead: true });
      const { busy, reason } = busyOf(reply, calendarId);
      if (reason) throw new ProviderRefused(`The calendar does not show its busy times: ${reason}`, { code: reason });
      return busy;
    },
    async verify(_credentials, token = '') {
      const reply = object(await call({ method: 'GET', path: 'calendars/primary', token }));
      if (typeof reply.id !== 'string') throw new ProviderUnknown('The calendar did not say whose it is');
      return { account: reply.id };
    },
  };
}

const conferenceOf = ({ conference }: EventContent) => {
  if (conference.kind === 'keep') return {};
  if (conference.kind === 'none') return { conferenceData: null };
  const { requestId } = conference;
  return { conferenceData: { createRequest: { requestId, conferenceSolutionKey: { type: 'hangoutsMeet' } } } };
};

const bodyOf = (content: EventContent) => ({
  summary: content.summary,
  description: content.description,
  location: content.location,
  start: { dateTime: content.startsAt, timeZone: content.timezone },
  end: { dateTime: content.endsAt, timeZone: content.timezone },
  extendedProperties: { private: { kanal_booking: content.mark } },
  ...conferenceOf(content),
});
