import express, { type NextFunction, type Request, Router } from 'express';
import { answer, type ServiceResponse, serviceIntake } from '../services/intake.ts';
import type { State } from '../state.ts';
import type { Meeting, MeetingFields } from './store.ts';

class VideoError extends Error {
  readonly status: number;
  readonly code: number;
  readonly errors: object[] | undefined;
  constructor(status: number, code: number, message: string, errors?: object[]) {
    super(message);
    this.status = status;
    this.code = code;
    this.errors = errors;
  }
}

const words: Record<number, [code: number, message: string]> = {
  400: [300, 'Validation Failed.'],
  401: [124, 'Invalid access token.'],
  404: [3_001, 'Meeting does not exist.'],
  429: [429, 'You have reached the maximum per-second rate limit for this API. Try again later.'],
};

function errorBody(status: number, given?: number): object {
  const [code, message] = words[status] ?? [status, 'Internal Error.'];
  return { code: given ?? code, message };
}

type Body = Record<string, unknown>;

const maxAgenda = 2_000;
const shownAgenda = 250;

/** Zoom's meetings, as far as Kanal asks for them. */
export function videoRouter(state: State): Router {
  const router = Router();
  router.use(express.json({ limit: '1mb' }));
  router.use(serviceIntake(state, errorBody));
  router.use((req, res: ServiceResponse, next) => {
    const grant = state.tokens.check(req.headers.authorization, 'zoom');
    if (!grant) throw new VideoError(401, 124, 'Invalid access token.');
    res.locals.account = grant.account;
    next();
  });
  const accountOf = (res: ServiceResponse) => res.locals.account as string;
  const meetingOf = (req: Request, res: ServiceResponse): Meeting => {
    const meeting = state.meetings.get(accountOf(res), Number(req.params.id));
    if (!meeting) throw new VideoError(404, 3_001, `Meeting does not exist: ${req.params.id}.`);
    return meeting;
  };

  router.get('/users/me', (_req, res: ServiceResponse) =>
    answer(res, 200, { id: accountOf(res), email: `${accountOf(res)}@video.sandbox.example`, type: 2 }),
  );
  router.post('/users/me/meetings', (req, res: ServiceResponse) => {
    const fields = fieldsOf(req.body as Body, undefined);
    answer(res, 201, shown(state.meetings.add(accountOf(res), fields)));
  });
  router.get('/users/me/meetings', (req, res: ServiceResponse) => {
    const size = Math.min(Number(req.query.page_size ?? 30), 300);
    const first = Number(req.query.next_page_token || 0);
    const all = state.meetings.all().filter(({ account }) => account === accountOf(res));
    const page = all.slice(first, first + size).map((one) => listed(one));
    const next = first + size < all.length ? String(first + size) : '';
    answer(res, 200, { page_size: size, total_records: all.length, next_page_token: next, meetings: page });
  });
  router.get('/meetings/:id', (req, res: ServiceResponse) => answer(res, 200, shown(meetingOf(req, res))));
  router.patch('/meetings/:id', (req, res: ServiceResponse) => {
    const meeting = meetingOf(req, res);
    Object.assign(meeting, fieldsOf(req.body as Body, meeting));
    answer(res, 204, undefined);
  });
  router.delete('/meetings/:id', (req, res: ServiceResponse) => {
    state.meetings.delete(meetingOf(req, res).id);
    answer(res, 204, undefined);
  });

  router.use(() => {
    throw new VideoError(404, 404, 'This API endpoint is not recognized.');
  });
  router.use((error: unknown, _req: Request, res: ServiceResponse, _next: NextFunction) => {
    const fault = error instanceof VideoError ? error : new VideoError(500, 500, String(error));
    const { status, code, message, errors } = fault;
    answer(res, status, { code, message, ...(errors && { errors }) });
  });
  return router;
}

const joinUrl = ({ id }: Meeting) => `https://video.sandbox.example/j/${id}`;

/** The address of the host is a secret. */
const shown = ({ account, ...meeting }: Meeting) => ({
  ...meeting,
  host_id: account,
  status: 'waiting',
  join_url: joinUrl({ account, ...meeting }),
  start_url: `https://video.sandbox.example/s/${meeting.id}?zak=secret-of-the-host`,
});

const listed = (meeting: Meeting) => {
  const { password: _password, start_url: _startUrl, ...rest } = shown(meeting);
  return { ...rest, agenda: meeting.agenda.slice(0, shownAgenda) };
};

function fieldsOf(body: Body, before: MeetingFields | undefined): MeetingFields {
  const fields = { topic: 'Zoom Meeting', start_time: '', duration: 60, timezone: 'UTC', agenda: '', ...before };
  const errors: object[] = [];
  const refuse = (field: string, message: string) => void errors.push({ field, message });
  for (const name of ['topic', 'start_time', 'timezone', 'agenda'] as const) {
    const value = body[name];
    if (value === undefined) continue;
    if (typeof value === 'string') fields[name] = value;
    else refuse(name, 'Invalid field.');
  }
  if (body.duration !== undefined) fields.duration = Number(body.duration);
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ?$/.test(fields.start_time)) refuse('start_time', 'Invalid time format.');
  if (!Number.isInteger(fields.duration) || fields.duration < 1) refuse('duration', 'Invalid field.');
  if (fields.topic.length > 200) refuse('topic', 'Topic is too long.');
  if (fields.agenda.length > maxAgenda) refuse('agenda', 'Agenda is too long.');
  if (errors.length > 0) throw new VideoError(400, 300, 'Validation Failed.', errors);
  const { topic, start_time, duration, timezone, agenda } = fields;
  return { topic, start_time, duration, timezone, agenda };
}
