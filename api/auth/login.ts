import Joi from 'joi';
import { login } from '../../src/accounts/login.ts';
import { endSession, endSessions } from '../../src/accounts/sessions.ts';
import { endpoint, ok } from '../http/endpoint.ts';
import { endedCookie, sessionCookie, sessionTokenOf } from '../http/middleware/session-cookie.ts';
import { wrapped } from '../http/view.ts';
import { exampleUser, sessionUser, tag, toUserView } from './schemas.ts';

type LoginBody = { email: string; password: string; telemetry_id?: string };

export const logIn = endpoint({
  method: 'post',
  path: '/v1/auth/login',
  operationId: 'auth.login',
  tag,
  scope: 'public',
  summary: 'Log in',
  description:
    'Opens a session of 14 days from its last use and sets its cookie: `__Host-kanal_session`, and on localhost without TLS `kanal_session`. With the cookie alone a request changes something only from an allowed `Origin`. Failures slow it down: 429.',
  errorShape: 'problem',
  body: Joi.object<LoginBody, true>({
    email: Joi.string().trim().max(254).required(),
    password: Joi.string().max(1000).required(),
    telemetry_id: Joi.string().trim().max(200).description("The device's fingerprint ID"),
  }),
  responses: { 200: wrapped(sessionUser) },
  errors: [401],
  example: { body: { email: exampleUser.email, password: 'correct horse battery' } },
  async handler({ body, from, header, isSecure }, { database, ledger, passwords, loginLimits }) {
    const parts = { database, transact: ledger.transact, passwords, limits: loginLimits };
    const device = { ...from, userAgent: header('user-agent') ?? '', telemetryId: body.telemetry_id };
    const { user, token } = await login(parts, body, device, sessionTokenOf(header('cookie'), isSecure));
    return { ...ok({ data: toUserView(user) }), headers: { 'Set-Cookie': sessionCookie(token, isSecure) } };
  },
});

export const logOut = endpoint({
  method: 'post',
  path: '/v1/auth/logout',
  operationId: 'auth.logout',
  tag,
  scope: 'session',
  summary: 'Log out',
  description: 'Ends this session. `everywhere` ends all sessions of the user and the bearer tokens made in them.',
  audit: 'session',
  body: Joi.object<{ everywhere: boolean }>({ everywhere: Joi.boolean().strict().default(false) }),
  responses: { 204: null },
  example: { body: { everywhere: false } },
  async handler({ body, caller, isSecure, write }, { authenticate }) {
    const reply = await write({}, async (tx) => {
      if (body.everywhere) await endSessions(tx.em, caller.userId!);
      else await endSession(tx.em, caller.id);
      return {
        status: 204,
        headers: { 'Set-Cookie': endedCookie(isSecure) },
        audit: { subject: `session:${caller.id}`, details: { everywhere: body.everywhere } },
      };
    });
    authenticate.forget(caller.userId!);
    return reply;
  },
});
