import Joi from 'joi';
import { connectionAccount } from '../../src/connections/account.ts';
import { calendarsOf } from '../../src/connections/calendars.ts';
import { stopConnection } from '../../src/connections/change.ts';
import { holdConnection, turnsWithin } from '../../src/connections/turns.ts';
import { connectionPool } from '../../src/connections/use.ts';
import { forCaller } from '../../src/connections/verify.ts';
import { AppError, notFound } from '../../src/platform/errors.ts';
import { poolOf } from '../../src/platform/ledger/pools.ts';
import { transactFor } from '../../src/platform/ledger/tenant.ts';
import { RateReached } from '../../src/providers/calendar/error-codes.ts';
import { ProviderRefused } from '../../src/providers/errors.ts';
import { endpoint, ok } from '../http/endpoint.ts';
import { view } from '../http/view.ts';
import { aboutConnection } from './schemas.ts';

const calendar = Joi.object({
  id: Joi.string().required().description("The provider's id: `calendar_id` of a staff member"),
  name: Joi.string().allow('').required(),
  timezone: Joi.string().allow('').required(),
  is_primary: Joi.boolean().required(),
  is_writable: Joi.boolean().required().description('Whether bookings can be entered there'),
});

const calendarList = view(Joi.object({ items: Joi.array().items(calendar).required() }), {
  items: [{ id: 'frontdesk@example.com', name: 'Front desk', timezone: 'Asia/Jakarta', is_primary: true, is_writable: true }],
});

/** Of the turns, all together: more than twenty pages need at the pace of an account that nobody else uses. */
const longestWaitMs = 10_000;

export const listOfCalendars = endpoint({
  tag: aboutConnection.tag,
  subject: aboutConnection.subject,
  method: 'get',
  path: '/v1/connections/:connectionID/calendars',
  operationId: 'connections.calendars.list',
  scope: 'connections:read',
  summary: 'List the calendars of a calendar account',
  description:
    'Read at the provider, 250 a call, at the pace of the account: 503 when the calls that others make leave none free within 10 s, or while the provider asks to slow down. A connection of another kind has none: 422.',
  responses: { 200: calendarList },
  errors: [409, 503],
  async handler({ params: { connectionID: id }, own }, { config, database, ledger, providers, secrets }) {
    const account = await connectionAccount(own, id, secrets);
    if (!account) throw notFound('Connection');
    if (account.kind !== 'calendar') throw new AppError('connection_required', 'This is no connection of a calendar account');
    if (account.status !== 'connected')
      throw new AppError('connection_unavailable', `The connection is ${account.status}: give it new credentials`);
    const pool = poolOf(own.organizationId, connectionPool(id));
    const turn = turnsWithin(database, pool, longestWaitMs);
    const { calendar, tokens } = providers;
    try {
      const calendars = await calendarsOf(own, account, { calendar, turn, secrets, tokens, timeoutMs: config.providerTimeoutMs });
      return ok({ items: calendars.map(toView) });
    } catch (error) {
      if (error instanceof RateReached) await holdConnection({ database, ledger }, pool, error.retryAfterMs);
      if (error instanceof ProviderRefused && error.stopsChannel)
        await stopConnection(transactFor(ledger.transact, own.organizationId), account, error.stopsChannel, error.message);
      throw forCaller(error, 'connection');
    }
  },
});

type Head = { id: string; name: string; timezone: string; isPrimary: boolean; isWritable: boolean };

const toView = ({ id, name, timezone, isPrimary, isWritable }: Head) => ({
  id,
  name,
  timezone,
  is_primary: isPrimary,
  is_writable: isWritable,
});
