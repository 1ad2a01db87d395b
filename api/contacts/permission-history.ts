import Joi from 'joi';
import { suppressionChannels } from '../../src/contacts/permission/permission.entity.ts';
import { listPermissionHistory, type PermissionHistoryRow } from '../../src/contacts/permission/permission-history.ts';
import { exampleIds, exampleTime } from '../../src/platform/examples.ts';
import { endpoint } from '../http/endpoint.ts';
import { dataList, type PageQuery, pageQuery } from '../http/paging.ts';
import { id, iso, timestamp } from '../http/schemas.ts';
import { view } from '../http/view.ts';
import { aboutContact, listedData } from './schemas.ts';

export const changeView = view(
  'contact_permission_change',
  Joi.object({
    id: id.required(),
    kind: Joi.string().valid('consent', 'suppression').required(),
    channel: Joi.string()
      .valid(...suppressionChannels)
      .required(),
    state: Joi.string().valid('granted', 'denied', 'pending', 'suppressed', 'lifted').required(),
    reason: Joi.string().allow('').required().description('Of a suppression'),
    source: Joi.string().allow('').required().description('Where it was said'),
    proof: Joi.string().allow('').required().description('What shows it'),
    expires_at: timestamp.allow(null).required(),
    actor: Joi.string().required().description('`user:<id>`, `key:<id>`, `contact:<id>`, `provider` or `system`'),
    at: timestamp.required(),
  }),
  {
    id: exampleIds.suppression,
    kind: 'suppression',
    channel: 'messaging_app',
    state: 'suppressed',
    reason: 'unsubscribed',
    source: 'message',
    proof: exampleIds.message,
    expires_at: null,
    actor: `contact:${exampleIds.contact}`,
    at: exampleTime,
  },
);

const toView = (row: PermissionHistoryRow) => ({
  id: row.id,
  kind: row.kind,
  channel: row.channel,
  state: row.state,
  reason: row.reason,
  source: row.source,
  proof: row.proof,
  expires_at: row.expires_at && iso(row.expires_at),
  actor: row.actor,
  at: iso(row.created_at),
});

export const listOfPermissionChanges = endpoint({
  ...aboutContact,
  method: 'get',
  path: '/v1/contacts/:contactID/permission-history',
  operationId: 'contacts.permission-history.list',
  scope: 'contacts:read',
  summary: 'List the changes of consent and suppression, newest first',
  query: Joi.object<PageQuery>(pageQuery),
  responses: { 200: dataList(changeView) },
  handler: ({ params, query, own }) =>
    listedData('permission history', params, query, (page) => listPermissionHistory(own, params.contactID, page), toView),
});
