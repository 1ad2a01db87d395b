import type { Verify } from '../connections.ts';

/** `confirmed`: it stands. `cancelled`: somebody deleted it, and its id stays taken. */
export type EventStatus = 'confirmed' | 'cancelled';

/** A video room that the calendar makes: made some time after it is asked for. */
export type Conference = { state: 'none' | 'pending' | 'ready' | 'failed'; url: string };

export type EventContent = {
  summary: string;
  description: string;
  location: string;
  /** Instants in ISO 8601. */
  startsAt: string;
  endsAt: string;
  /** IANA name: what the calendar shows beside the time. */
  timezone: string;
  /** Whose entry it is: found again under the private property `kanal_booking`. */
  mark: string;
  /** `ask`: one is made, once for each `requestId`. `none`: what is there goes. */
  conference: { kind: 'ask'; requestId: string } | { kind: 'keep' } | { kind: 'none' };
};

export type CalendarEvent = {
  id: string;
  /** Changes with every change of the entry. */
  etag: string;
  status: EventStatus;
  url: string;
  /** Null: not made by us. */
  mark: string | null;
  conference: Conference;
};

export type EventPlace = { calendarId: string; eventId: string };
export type CalendarHead = { id: string; name: string; timezone: string; isPrimary: boolean; isWritable: boolean };
export type Busy = { from: string; to: string };

/** All throw a ProviderError; a refusal is a CalendarRefused, which says why. `token`: an access token of the account. */
export type Calendar = {
  insertEvent(token: string, place: EventPlace, content: EventContent): Promise<CalendarEvent>;
  getEvent(token: string, place: EventPlace): Promise<CalendarEvent>;
  /** Also makes it stand again. Refused as `changed` when its etag is another. */
  patchEvent(token: string, place: EventPlace, etag: string, content: EventContent): Promise<CalendarEvent>;
  deleteEvent(token: string, place: EventPlace): Promise<void>;
  /** One page: the first, or that which `next` of another named. */
  listCalendars(token: string, from?: string): Promise<{ calendars: CalendarHead[]; next: string | undefined }>;
  listBusy(token: string, calendarId: string, between: Busy): Promise<Busy[]>;
  verify: Verify;
};
