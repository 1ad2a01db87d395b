import Joi from 'joi';
import { createToken, deleteToken, listTokens, maxTokenDays, type TokenRow } from '../../src/accounts/tokens.ts';
import { exampleIds, exampleTime } from '../../src/platform/examples.ts';
import { endpoint } from '../http/endpoint.ts';
import { listed, listOf, type PageQuery, pageQuery } from '../http/paging.ts';
import { id, iso, timestamp } from '../http/schemas.ts';
import { extended, view } from '../http/view.ts';
import { personName, scopeList, tag } from './schemas.ts';

export const tokenView = view(
  'token',
  Joi.object({
    id: id.required(),
    organization_id: id.required(),
    name: Joi.string().required(),
    scopes: Joi.array().items(Joi.string()).required(),
    expires_at: timestamp.required(),
    last_used_at: timestamp.allow(null).required(),
    created_at: timestamp.required(),
  }),
  {
    id: exampleIds.token,
    organization_id: exampleIds.organization,
    name: 'Laptop',
    scopes: ['messages:read'],
    expires_at: exampleTime,
    last_used_at: null,
    created_at: exampleTime,
  },
);

const toView = (row: TokenRow) => ({
  id: row.id,
  organization_id: row.organization_id,
  name: row.name,
  scopes: row.scopes,
  expires_at: iso(row.expires_at),
  last_used_at: row.last_used_at && iso(row.last_used_at),
  created_at: iso(row.created_at),
});

const made = extended(
  tokenView,
  { token: Joi.string().required().description('Shown now and never again') },
  { token: 'kt_EXAMPLEexampleEXAMPLEexampleEXAMPLEexamp' },
);

type CreateBody = { name: string; scopes?: string[]; expires_in_days: number };

export const createBearerToken = endpoint({
  method: 'post',
  path: '/v1/auth/tokens',
  operationId: 'auth.tokens.create',
  tag,
  scope: 'session',
  summary: 'Create a bearer token for yourself',
  description:
    'For `Authorization: Bearer`, shown once, bound to the organization active now. It never does more than your role there allows, then or later.',
  isIdempotent: true,
  holdsSecret: true,
  audit: 'token',
  body: Joi.object<CreateBody>({
    name: personName.required(),
    scopes: scopeList.description('Default: all that your role allows'),
    expires_in_days: Joi.number().strict().integer().min(1).max(maxTokenDays).default(maxTokenDays),
  }),
  responses: { 201: made },
  example: { body: { name: 'Laptop', scopes: ['messages:read'], expires_in_days: 30 } },
  handler: ({ body, caller, write }) =>
    write({}, async ({ own }) => {
      const row = await createToken(own, caller, { ...body, expiresInDays: body.expires_in_days });
      return {
        status: 201,
        body: { ...toView(row), token: row.token },
        audit: { details: { name: row.name, scopes: row.scopes } },
      };
    }),
});

export const listOfTokens = endpoint({
  method: 'get',
  path: '/v1/auth/tokens',
  operationId: 'auth.tokens.list',
  tag,
  scope: 'session',
  summary: 'List your bearer tokens for the active organization, newest first',
  query: Joi.object<PageQuery>(pageQuery),
  responses: { 200: listOf(tokenView) },
  handler: ({ query, caller, own }) =>
    listed(`tokens of ${caller.userId}`, {}, query, (page) => listTokens(own, caller.userId!, page), toView),
});

export const removeToken = endpoint({
  method: 'delete',
  path: '/v1/auth/tokens/:tokenID',
  operationId: 'auth.tokens.delete',
  tag,
  scope: 'session',
  summary: 'End a bearer token',
  description: 'Within 5 seconds on every process.',
  subject: 'Token',
  audit: 'token',
  responses: { 204: null },
  example: { params: { tokenID: exampleIds.token } },
  async handler({ params, caller, write }, { authenticate }) {
    const reply = await write({}, async ({ own }) => {
      await deleteToken(own, caller.userId!, params.tokenID);
      return { status: 204 };
    });
    authenticate.forget(params.tokenID);
    return reply;
  },
});
