import Joi from 'joi';
import { endKeys, getKey, grantKey, type KeyRow, listKeys, rotateKey } from '../../src/organizations/keys.ts';
import { exampleIds, exampleTime } from '../../src/platform/examples.ts';
import { endForm, futureEnd } from '../../src/platform/schemas/moment.ts';
import { personName, role, scopeList } from '../auth/schemas.ts';
import { endpoint, ok } from '../http/endpoint.ts';
import { listed, listOf, type PageQuery, pageQuery } from '../http/paging.ts';
import { id, iso, timestamp } from '../http/schemas.ts';
import { extended, view, withExample } from '../http/view.ts';
import { tag } from './organization.ts';

export const keyView = view(
  'api_key',
  Joi.object({
    id: id.required(),
    name: Joi.string().required(),
    hint: Joi.string().allow('').required().description('How the key begins'),
    scopes: Joi.array().items(Joi.string()).required(),
    role: role
      .required()
      .description('The highest role it may give to members: its maker’s. Never more than its maker could give now'),
    expires_at: timestamp.allow(null).required(),
    last_used_at: timestamp.allow(null).required().description('To the minute'),
    revoked_at: timestamp.allow(null).required(),
    created_by: Joi.string().required().description('`user:<id>`, `key:<id>`, or `cli`'),
    replaces_id: id.allow(null).required().description('The key it was made for by rotation'),
    created_at: timestamp.required(),
  }),
  {
    id: exampleIds.apiKey,
    name: 'Till',
    hint: 'kk_EXAMP',
    scopes: ['messages:read', 'messages:write'],
    role: 'admin',
    expires_at: null,
    last_used_at: null,
    revoked_at: null,
    created_by: `user:${exampleIds.user}`,
    replaces_id: null,
    created_at: exampleTime,
  },
);

const orNull = (time: string | null) => time && iso(time);
const toView = (row: KeyRow) => ({
  id: row.id,
  name: row.name,
  hint: row.hint,
  scopes: row.scopes,
  role: row.role,
  expires_at: orNull(row.expires_at),
  last_used_at: orNull(row.last_used_at),
  revoked_at: orNull(row.revoked_at),
  created_by: row.created_by,
  replaces_id: row.replaces_id,
  created_at: iso(row.created_at),
});
const made = extended(
  keyView,
  { key: Joi.string().required().description('Shown now and never again') },
  { key: 'kk_EXAMPLEexampleEXAMPLEexampleEXAMPLEexamp' },
);
const replacement = { replaces_id: exampleIds.apiKey, id: '01932d5f-3a0e-7cc4-8f4e-0242ac12000f' };
const about = { tag, subject: 'API key' };
const params = { keyID: exampleIds.apiKey };

type CreateBody = { name: string; scopes: string[]; expires_at?: Date | null };

export const createApiKey = endpoint({
  method: 'post',
  path: '/v1/api-keys',
  operationId: 'api-keys.create',
  tag,
  scope: 'api_keys:write',
  summary: 'Create an API key',
  description: 'Its scopes must be among yours. What is made with a key or token that expires may not outlive it.',
  isIdempotent: true,
  holdsSecret: true,
  audit: 'api_key',
  body: Joi.object<CreateBody>({
    name: personName.required(),
    scopes: scopeList.required(),
    expires_at: futureEnd.allow(null).description(`${endForm}. Default: never, or when what it is made with ends`),
  }),
  responses: { 201: made },
  example: {
    body: { name: 'Till', scopes: ['messages:read', 'messages:write'] },
  },
  handler: ({ body, caller, write }) =>
    write({}, async ({ own }) => {
      const expiresAt = body.expires_at === undefined ? (caller.expiresAt ?? null) : body.expires_at;
      const row = await grantKey(own, caller, { name: body.name, scopes: body.scopes, expiresAt });
      return {
        status: 201,
        body: { ...toView(row), key: row.key },
        audit: { details: { name: row.name, scopes: row.scopes } },
      };
    }),
});

export const listOfApiKeys = endpoint({
  method: 'get',
  path: '/v1/api-keys',
  operationId: 'api-keys.list',
  tag,
  scope: 'api_keys:read',
  summary: 'List the API keys, newest first, revoked ones too',
  query: Joi.object<PageQuery & { made_by?: string }>({
    ...pageQuery,
    made_by: id.description("Only the keys of this member, or of one who has left: made in person or by a key of that member's"),
  }),
  responses: { 200: listOf(keyView) },
  handler({ query, own }) {
    const filter = { madeBy: query.made_by };
    return listed('api-keys', filter, query, (page) => listKeys(own, filter, page), toView);
  },
});

export const getApiKey = endpoint({
  ...about,
  method: 'get',
  path: '/v1/api-keys/:keyID',
  operationId: 'api-keys.get',
  scope: 'api_keys:read',
  summary: 'Get one API key',
  responses: { 200: keyView },
  example: { params },
  handler: async ({ params, own }) => ok(toView(await getKey(own, params.keyID))),
});

export const rotateApiKey = endpoint({
  ...about,
  method: 'post',
  path: '/v1/api-keys/:keyID/rotate',
  operationId: 'api-keys.rotate',
  scope: 'api_keys:write',
  summary: 'Replace an API key by a new one',
  description:
    'The new key has the name, scopes and expiry of the old one, which works on for `overlap_hours`; 0 ends it at once and takes its open invitations back. Once: then the new one is the one to rotate. Only for those who have its scopes.',
  isIdempotent: true,
  holdsSecret: true,
  audit: 'api_key',
  body: Joi.object<{ overlap_hours: number }>({
    overlap_hours: Joi.number().strict().min(0).max(168).default(24).description('At most 7 days'),
  }),
  responses: { 201: withExample(made, replacement) },
  location: '/v1/api-keys',
  example: {
    params,
    body: { overlap_hours: 24 },
  },
  async handler({ params, body, caller, write }, { authenticate }) {
    const reply = await write({}, async ({ own }) => {
      const row = await rotateKey(own, caller, params.keyID, body.overlap_hours);
      return {
        status: 201,
        body: { ...toView(row), key: row.key },
        audit: { details: { replaced_by: row.id, overlap_hours: body.overlap_hours } },
      };
    });
    authenticate.forget(params.keyID);
    return reply;
  },
});

export const revokeApiKey = endpoint({
  ...about,
  method: 'delete',
  path: '/v1/api-keys/:keyID',
  operationId: 'api-keys.delete',
  scope: 'api_keys:write',
  summary: 'Revoke an API key',
  description:
    'Within 5 seconds on every process, and for good. Its open invitations are taken back. Only for those who have its scopes and are not below its role; a key may always revoke itself.',
  audit: 'api_key',
  responses: { 204: null },
  example: { params },
  async handler({ params, caller, write }, { authenticate }) {
    const reply = await write({}, async ({ own }) => {
      await endKeys(own, caller, [params.keyID]);
      return { status: 204 };
    });
    authenticate.forget(params.keyID);
    return reply;
  },
});
