import { createHash, randomBytes } from 'node:crypto';
import type { Behaviour } from '../behaviour.ts';
import { problem } from './errors.ts';

export interface CalendarOf {
  id: string;
  account: string;
  summary: string;
  accessRole: 'owner' | 'reader';
  primary?: boolean;
}

type Resource = Record<string, unknown>;

export interface StoredEvent {
  calendarId: string;
  id: string;
  status: 'confirmed' | 'cancelled' | 'tentative';
  /** Counts all changes of all events. */
  version: number;
  sequence: number;
  created: string;
  updated: string;
  /** What the caller wrote. */
  written: Resource;
  conference: Conference | null;
}

interface Conference {
  requestId: string;
  type: string;
  askedAt: number;
  state: 'pending' | 'success' | 'failure';
  code: string;
}

const letters = 'abcdefghijklmnopqrstuvwxyz';
const roomCode = () => {
  const text = [...randomBytes(10)].map((byte) => letters[byte % letters.length]).join('');
  return `${text.slice(0, 3)}-${text.slice(3, 7)}-${text.slice(7)}`;
};

/** The calendars of every account: its own, one of its team, and one it may only read. */
export class CalendarStore {
  readonly #behaviour: () => Behaviour;
  readonly #events = new Map<string, StoredEvent>();
  readonly #calls = new Map<string, number[]>();
  #version = Date.now() * 1_000;
  /** Rooms that were made, for what happens twice. */
  readonly rooms: { event_id: string; request_id: string }[] = [];

  constructor(behaviour: () => Behaviour) {
    this.#behaviour = behaviour;
  }

  calendarsOf(account: string): CalendarOf[] {
    return [
      { id: account, account, summary: account, accessRole: 'owner', primary: true },
      { id: `team.${account}`, account, summary: 'Team', accessRole: 'owner' },
      { id: `holidays.${account}`, account, summary: 'Holidays', accessRole: 'reader' },
    ];
  }

  calendar(account: string, id: string): CalendarOf {
    const wanted = id === 'primary' ? account : id;
    const found = this.calendarsOf(account).find((one) => one.id === wanted);
    if (!found) throw problem(404);
    return found;
  }

  /** Throws when this account has had its requests of this second. */
  count(account: string): void {
    const { calendar_rate: rate } = this.#behaviour();
    const since = Date.now() - 1_000;
    const calls = (this.#calls.get(account) ?? []).filter((at) => at > since);
    if (rate !== null && calls.length >= rate) throw problem(403, 'Rate Limit Exceeded', 'rateLimitExceeded');
    calls.push(Date.now());
    this.#calls.set(account, calls);
  }

  all(): StoredEvent[] {
    return [...this.#events.values()].map((event) => this.#settled(event));
  }

  find(calendarId: string, id: string): StoredEvent | undefined {
    const event = this.#events.get(`${calendarId}/${id}`);
    return event && this.#settled(event);
  }

  add(calendarId: string, id: string | undefined, written: Resource): StoredEvent {
    const created = new Date().toISOString();
    const event: StoredEvent = {
      calendarId,
      id: id ?? createHash('sha256').update(randomBytes(16)).digest('hex').slice(0, 26),
      status: 'confirmed',
      version: 0,
      sequence: 0,
      created,
      updated: created,
      written,
      conference: null,
    };
    this.#events.set(`${calendarId}/${event.id}`, event);
    return this.touch(event);
  }

  touch(event: StoredEvent): StoredEvent {
    this.#version += 1;
    event.version = this.#version;
    event.updated = new Date().toISOString();
    return event;
  }

  /** The same request again changes nothing. */
  askRoom(event: StoredEvent, requestId: string, type: string): void {
    if (event.conference?.requestId === requestId) return;
    event.conference = { requestId, type, askedAt: Date.now(), state: 'pending', code: roomCode() };
    this.#settled(event);
  }

  /** A room is made some time after it is asked for, which changes the event. */
  #settled(event: StoredEvent): StoredEvent {
    const { conference } = event;
    const { conference: outcome, conference_delay_ms: delayMs } = this.#behaviour();
    if (conference?.state !== 'pending' || outcome === 'pending' || Date.now() - conference.askedAt < delayMs) return event;
    conference.state = outcome === 'failure' || outcome === 'invalid' ? 'failure' : 'success';
    if (conference.state === 'success') this.rooms.push({ event_id: event.id, request_id: conference.requestId });
    return this.touch(event);
  }
}
