import Joi from 'joi';
import { accessToken } from '../../src/connections/access-token.ts';
import { connectionAccount } from '../../src/connections/account.ts';
import { stopConnection } from '../../src/connections/change.ts';
import { forCaller } from '../../src/connections/verify.ts';
import { AppError, notFound } from '../../src/platform/errors.ts';
import { transactFor } from '../../src/platform/ledger/tenant.ts';
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

export const listOfCalendars = endpoint({
  tag: aboutConnection.tag,
  subject: aboutConnection.subject,
  method: 'get',
  path: '/v1/connections/:connectionID/calendars',
  operationId: 'connections.calendars.list',
  scope: 'connections:read',
  summary: 'List the calendars of a calendar account',
  description: 'Read at the provider. A connection of another kind has none: 422.',
  responses: { 200: calendarList },
  errors: [409, 503],
  async handler({ params: { connectionID: id }, own }, { config, ledger, providers, secrets }) {
    const account = await connectionAccount(own, id, secrets);
    if (!account) throw notFound('Connection');
    if (account.kind !== 'calendar') throw new AppError('connection_required', 'This is no connection of a calendar account');
    if (account.status !== 'connected')
      throw new AppError('connection_unavailable', `The connection is ${account.status}: give it new credentials`);
    const deps = { secrets, tokens: providers.tokens, timeoutMs: config.providerTimeoutMs };
    const isRefused = (error: unknown) => error instanceof ProviderRefused && error.stopsChannel === 'auth_error';
    try {
      const token = await accessToken(own, account, deps);
      const calendars = await providers.calendar.listCalendars(token).catch(async (error) => {
        if (!isRefused(error)) throw error;
        return providers.calendar.listCalendars(await accessToken(own, account, deps, token));
      });
      return ok({ items: calendars.map(toView) });
    } catch (error) {
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
