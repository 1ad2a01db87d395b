import Joi from 'joi';
import { connectionLock } from '../../src/connections/change.ts';
import { assertRoom, changeConnection, connectionsLock, makeConnection, maxConnections } from '../../src/connections/connect.ts';
import { type ConnectionProvider, connectionProviders } from '../../src/connections/connection.entity.ts';
import { deleteConnection } from '../../src/connections/delete.ts';
import { listConnections, readConnection } from '../../src/connections/queries.ts';
import { tryCredentials } from '../../src/connections/verify.ts';
import { takeOne } from '../../src/platform/rate-limits/quota.ts';
import type { RequestLimits } from '../../src/platform/rate-limits/requests.ts';
import { endpoint, ok } from '../http/endpoint.ts';
import { listed, listOf, type PageQuery, pageQuery } from '../http/paging.ts';
import { withExample } from '../http/view.ts';
import { checkCredentials, checkSettings } from './credentials.ts';
import { aboutConnection, connectionName, connectionView, credentials, settings, toView, webhookSecret } from './schemas.ts';

const base = '/v1/connections';

type CreateBody = {
  provider: ConnectionProvider;
  name?: string;
  credentials: Record<string, string>;
  webhook_secret?: string;
  settings: Record<string, string>;
  is_default?: boolean;
};

const isDefault = Joi.boolean().description('Used where none is named; another one of the kind is not the default any more');

export const createConnection = endpoint({
  tag: aboutConnection.tag,
  audit: aboutConnection.audit,
  method: 'post',
  path: base,
  operationId: 'connections.create',
  scope: 'connections:write',
  summary: 'Connect an account of a calendar, video, shipping or payment service',
  description: `The credentials are tried at the provider first: 422 \`provider_refused\` when they do not work. The first of a kind is its default. An organization has at most ${maxConnections}.`,
  isIdempotent: true,
  body: Joi.object<CreateBody>({
    provider: Joi.string()
      .valid(...connectionProviders)
      .required(),
    name: connectionName.description('Default: the account, as the provider names it'),
    credentials: credentials.required(),
    webhook_secret: webhookSecret,
    settings: settings.default({}),
    is_default: isDefault,
  }),
  responses: { 201: connectionView },
  errors: [503],
  example: {
    body: { provider: 'google', name: 'Front desk', credentials: { refresh_token: 'sandbox-refresh-token' } },
  },
  async handler({ body, own, write }, { config, providers, secrets, limits }) {
    const { provider } = body;
    const given = {
      provider,
      name: body.name,
      credentials: checkCredentials(provider, body.credentials),
      webhookSecret: body.webhook_secret,
      settings: checkSettings(body.settings, config)!,
      isDefault: body.is_default,
    };
    await assertRoom(own);
    await takeTry(limits, own.organizationId);
    const tried = await tryCredentials(providers, given);
    return write({ locks: [connectionsLock(own.organizationId)] }, async (tx) => ({
      status: 201,
      body: toView(await makeConnection(tx, given, tried, secrets), config),
    }));
  },
});

/** The provider sees the address of the installation, which all organizations share. */
const takeTry = ({ credentials }: RequestLimits, organizationId: string) =>
  takeOne(credentials, `credentials:${organizationId}`, 'Too many credentials were tried: wait');

export const listOfConnections = endpoint({
  tag: aboutConnection.tag,
  method: 'get',
  path: base,
  operationId: 'connections.list',
  scope: 'connections:read',
  summary: 'List connections, newest first',
  query: Joi.object<PageQuery>(pageQuery),
  responses: { 200: listOf(connectionView) },
  handler: ({ query, own }, { config }) =>
    listed(
      'connections',
      {},
      query,
      (page) => listConnections(own, {}, page),
      (row) => toView(row, config),
    ),
});

export const getConnection = endpoint({
  tag: aboutConnection.tag,
  subject: aboutConnection.subject,
  method: 'get',
  path: `${base}/:connectionID`,
  operationId: 'connections.get',
  scope: 'connections:read',
  summary: 'Get one connection',
  responses: { 200: connectionView },
  handler: async ({ params, own }, { config }) => ok(toView(await readConnection(own, params.connectionID), config)),
});

type ChangeBody = {
  name?: string;
  credentials?: Record<string, string>;
  webhook_secret?: string | null;
  settings?: Record<string, string>;
  is_default?: boolean;
};

export const patchConnection = endpoint({
  ...aboutConnection,
  method: 'patch',
  path: `${base}/:connectionID`,
  operationId: 'connections.update',
  scope: 'connections:write',
  summary: 'Change a connection',
  description:
    'New credentials replace the old ones whole, and are tried at the provider first. They connect a connection again that is in `auth_error` or `restricted`, and work that waited for it goes on. `settings` are replaced whole.',
  body: Joi.object<ChangeBody>({
    name: connectionName,
    credentials,
    webhook_secret: webhookSecret.allow(null),
    settings,
    is_default: isDefault,
  }).min(1),
  responses: { 200: withExample(connectionView, { name: 'Back office' }) },
  errors: [503],
  example: { body: { name: 'Back office' } },
  async handler({ params, body, own, write }, { config, providers, secrets, limits }) {
    const id = params.connectionID;
    const { provider } = await readConnection(own, id);
    checkSettings(body.settings, config);
    const given = body.credentials && checkCredentials(provider, body.credentials);
    if (given) await takeTry(limits, own.organizationId);
    const tried = given && (await tryCredentials(providers, { provider, credentials: given }));
    const change = {
      name: body.name,
      credentials: given,
      webhookSecret: body.webhook_secret,
      settings: body.settings,
      isDefault: body.is_default,
    };
    return write({ locks: [connectionLock(id), connectionsLock(own.organizationId)] }, async (tx) =>
      ok(toView(await changeConnection(tx, id, change, tried, secrets), config)),
    );
  },
});

export const removeConnection = endpoint({
  ...aboutConnection,
  method: 'delete',
  path: `${base}/:connectionID`,
  operationId: 'connections.delete',
  scope: 'connections:write',
  summary: 'Delete a connection',
  description:
    'Its credentials are erased. Orders keep what was done with it; work that waits for it ends as skipped or failed, and the provider keeps what it has. There is no way back: connecting the account again makes another connection.',
  responses: { 204: null },
  handler: ({ params: { connectionID: id }, write }) =>
    write({ locks: [connectionLock(id)] }, async (tx) => {
      await deleteConnection(tx, id);
      return { status: 204 };
    }),
});
