import Joi from 'joi';
import { type ActRow, listActs } from '../../src/platform/audit/queries.ts';
import { exampleIds, exampleTime } from '../../src/platform/examples.ts';
import type { Ask } from '../../src/platform/listing/paging.ts';
import { endpoint } from '../http/endpoint.ts';
import { listed, listOf, type PageQuery, pageQuery } from '../http/paging.ts';
import { id, iso, timestamp } from '../http/schemas.ts';
import { view } from '../http/view.ts';
import { tag } from './organization.ts';

export const actView = view(
  'audit_log_entry',
  Joi.object({
    id: id.required(),
    actor: Joi.string().required().description('`user:<id>`, `key:<id>`, or `cli`'),
    action: Joi.string().required().description('An operation id, or what happened at a login'),
    subject: Joi.string().required().description('`<type>:<id>`'),
    address: Joi.string().allow('').required().description("The caller's"),
    request_id: Joi.string().allow(null).required(),
    details: Joi.object().unknown().allow(null).required(),
    created_at: timestamp.required(),
  }),
  {
    id: exampleIds.act,
    actor: `user:${exampleIds.user}`,
    action: 'api-keys.create',
    subject: `api_key:${exampleIds.apiKey}`,
    address: '203.0.113.7',
    request_id: exampleIds.request,
    details: { name: 'Till', scopes: ['messages:read'] },
    created_at: exampleTime,
  },
);

const toView = (row: ActRow) => ({
  id: row.id,
  actor: row.actor,
  action: row.action,
  subject: row.subject,
  address: row.address,
  request_id: row.request_id,
  details: row.details,
  created_at: iso(row.created_at),
});

type ListQuery = PageQuery & { actor?: string; action?: string };

export const listOfActs = endpoint({
  method: 'get',
  path: '/v1/audit-log',
  operationId: 'audit-log.list',
  tag,
  scope: 'audit:read',
  summary: 'List who did what, newest first',
  description:
    'Logins and failed ones, passwords, tokens, keys, members, invitations, settings, replays: who, from where, to which record.',
  query: Joi.object<ListQuery>({
    ...pageQuery,
    actor: Joi.string().max(200).description('Only what this one did: `user:<id>`'),
    action: Joi.string().max(200).description('Only this: `auth.login-failed`'),
  }),
  responses: { 200: listOf(actView) },
  handler({ query, own }, { reads }) {
    const { actor, action } = query;
    const filter = { actor, action };
    const read = (ask: Ask) => listed('audit-log', filter, query, (page) => listActs(ask, own, filter, page), toView);
    // Each filter has an index in the list's order; both together have none.
    return (actor && action) || query.include_total ? reads.dear(own.organizationId, read) : read(reads.plain);
  },
});
