import express, { type NextFunction, type Request, Router } from 'express';
import { answer, type ServiceResponse, serviceIntake } from '../services/intake.ts';
import type { State } from '../state.ts';
import { bodyOf, CalendarError, errorBody, problem } from './errors.ts';
import { assertWritable, cancelEvent, etagOf, insertEvent, patchEvent, shown, timesOf } from './events.ts';
import { listEvents } from './list.ts';
import type { CalendarOf, StoredEvent } from './store.ts';

type Body = Record<string, unknown>;
const givenBody = (req: Request): Body => (typeof req.body === 'object' && req.body !== null ? (req.body as Body) : {});

/** Google Calendar v3, as far as Kanal asks it. */
export function calendarRouter(state: State): Router {
  const router = Router();
  router.use(express.json({ limit: '1mb' }), ignoreMalformedBody);
  router.use(serviceIntake(state, errorBody));
  router.use((req, res: ServiceResponse, next) => {
    const grant = state.tokens.check(req.headers.authorization, 'google');
    if (!grant) throw problem(401);
    res.locals.account = grant.account;
    state.calendars.count(grant.account);
    next();
  });
  const accountOf = (res: ServiceResponse) => res.locals.account as string;
  const calendarOf = (req: Request, res: ServiceResponse): CalendarOf =>
    state.calendars.calendar(accountOf(res), String(req.params.calendarId));
  const eventOf = (req: Request, res: ServiceResponse): StoredEvent => {
    const event = state.calendars.find(calendarOf(req, res).id, String(req.params.eventId));
    if (!event) throw problem(404);
    return event;
  };
  const eventToWrite = (req: Request, res: ServiceResponse): StoredEvent => {
    assertWritable(calendarOf(req, res));
    const event = eventOf(req, res);
    const wanted = req.headers['if-match'];
    if (wanted !== undefined && wanted !== '*' && wanted !== etagOf(event)) throw problem(412);
    return event;
  };
  const takesRooms = ({ query }: Request) => query.conferenceDataVersion === '1';
  const answerEvent = (res: ServiceResponse, event: StoredEvent) => answer(res, 200, shown(event), { etag: etagOf(event) });

  router.get('/users/me/calendarList', (_req, res: ServiceResponse) => {
    const items = state.calendars.calendarsOf(accountOf(res)).map(calendarShown);
    answer(res, 200, { kind: 'calendar#calendarList', etag: '"1"', items });
  });
  router.get('/calendars/:calendarId', (req, res: ServiceResponse) => {
    const { id, summary } = calendarOf(req, res);
    answer(res, 200, { kind: 'calendar#calendar', etag: '"1"', id, summary, timeZone: 'UTC' });
  });
  router.post('/freeBusy', (req, res: ServiceResponse) => {
    const { timeMin, timeMax, items } = givenBody(req);
    const [from, to] = [Date.parse(String(timeMin)), Date.parse(String(timeMax))];
    if (Number.isNaN(from) || Number.isNaN(to)) throw problem(400, 'Missing time range.', 'required');
    if (to <= from) throw problem(400, 'The specified time range is empty.', 'timeRangeEmpty');
    const ids = (Array.isArray(items) ? items : []).map((item) => String((item as Body).id));
    const calendars = Object.fromEntries(ids.map((id) => [id, busyOf(state, accountOf(res), id, { from, to })]));
    answer(res, 200, { kind: 'calendar#freeBusy', timeMin, timeMax, calendars });
  });
  router.get('/calendars/:calendarId/events', (req, res: ServiceResponse) => {
    answer(res, 200, listEvents(state, calendarOf(req, res), req.query as Record<string, unknown>));
  });
  router.post('/calendars/:calendarId/events', (req, res: ServiceResponse) => {
    answerEvent(res, insertEvent(state, calendarOf(req, res), givenBody(req), takesRooms(req)));
  });
  // Deleted ones too, as `cancelled`.
  router.get('/calendars/:calendarId/events/:eventId', (req, res: ServiceResponse) => answerEvent(res, eventOf(req, res)));
  router.patch('/calendars/:calendarId/events/:eventId', (req, res: ServiceResponse) => {
    answerEvent(res, patchEvent(state, eventToWrite(req, res), givenBody(req), takesRooms(req)));
  });
  router.delete('/calendars/:calendarId/events/:eventId', (req, res: ServiceResponse) => {
    cancelEvent(state, eventToWrite(req, res));
    answer(res, 204, undefined);
  });

  router.use(() => {
    throw problem(404);
  });
  router.use((error: unknown, _req: Request, res: ServiceResponse, _next: NextFunction) => {
    const fault = error instanceof CalendarError ? error : problem(500, String(error));
    answer(res, fault.status, bodyOf(fault));
  });
  return router;
}

const calendarShown = ({ id, summary, accessRole, primary }: CalendarOf) => ({
  kind: 'calendar#calendarListEntry',
  etag: '"1"',
  id,
  summary,
  timeZone: 'UTC',
  accessRole,
  ...(primary && { primary }),
});

function busyOf(state: State, account: string, id: string, { from, to }: { from: number; to: number }): object {
  const wanted = id === 'primary' ? account : id;
  const isKnown = state.calendars.calendarsOf(account).some((one) => one.id === wanted);
  if (!isKnown) return { errors: [{ domain: 'global', reason: 'notFound' }], busy: [] };
  const busy = state.calendars
    .all()
    .filter(
      (event) => event.calendarId === wanted && event.status !== 'cancelled' && event.written.transparency !== 'transparent',
    )
    .map(timesOf)
    .filter(({ start, end }) => start < to && end > from)
    .sort((one, other) => one.start - other.start)
    .map(({ start, end }) => ({
      start: new Date(Math.max(start, from)).toISOString(),
      end: new Date(Math.min(end, to)).toISOString(),
    }));
  return { busy };
}

function ignoreMalformedBody(_error: unknown, req: Request, _res: ServiceResponse, next: NextFunction): void {
  req.body = {};
  next();
}
