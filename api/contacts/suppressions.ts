import Joi from 'joi';
import { suppressionChannels, suppressionReasons } from '../../src/contacts/permission/permission.entity.ts';
import { suppressionFields } from '../../src/contacts/permission/schemas.ts';
import {
  liftSuppression,
  listSuppressions,
  type Suppression,
  type SuppressionRow,
  suppress,
} from '../../src/contacts/permission/suppressions.ts';
import { actorOf } from '../../src/organizations/caller.ts';
import { exampleIds, exampleTime } from '../../src/platform/examples.ts';
import { endpoint } from '../http/endpoint.ts';
import { dataList, type PageQuery, pageQuery } from '../http/paging.ts';
import { id, iso, timestamp } from '../http/schemas.ts';
import { view, wrapped } from '../http/view.ts';
import { aboutContact, changeContact, listedData } from './schemas.ts';

export const suppressionView = view(
  'contact_suppression',
  Joi.object({
    id: id.required(),
    channel: Joi.string()
      .valid(...suppressionChannels)
      .required(),
    reason: Joi.string()
      .valid(...suppressionReasons)
      .required(),
    expires_at: timestamp.allow(null).required().description('null: until it is deleted'),
    created_at: timestamp.required(),
    updated_at: timestamp.required(),
  }),
  {
    id: exampleIds.suppression,
    channel: 'messaging_app',
    reason: 'unsubscribed',
    expires_at: null,
    created_at: exampleTime,
    updated_at: exampleTime,
  },
);

const toView = (row: SuppressionRow) => ({
  id: row.id,
  channel: row.channel,
  reason: row.reason,
  expires_at: row.expires_at && iso(row.expires_at),
  created_at: iso(row.created_at),
  updated_at: iso(row.updated_at),
});

export const listOfSuppressions = endpoint({
  ...aboutContact,
  method: 'get',
  path: '/v1/contacts/:contactID/suppressions',
  operationId: 'contacts.suppressions.list',
  scope: 'contacts:read',
  summary: 'List the suppressions of a contact, newest first',
  description: 'Those in force; what has expired or was deleted stands in the permission history.',
  query: Joi.object<PageQuery>(pageQuery),
  responses: { 200: dataList(suppressionView) },
  handler: ({ params, query, own }) =>
    listedData('contact suppressions', params, query, (page) => listSuppressions(own, params.contactID, page), toView),
});

type SuppressionBody = Pick<Suppression, 'channel' | 'reason'> & { expires_at: Date | null };

export const createSuppression = endpoint({
  ...aboutContact,
  method: 'post',
  path: '/v1/contacts/:contactID/suppressions',
  operationId: 'contacts.suppressions.create',
  scope: 'contacts:write',
  summary: 'Create or update a suppression',
  description:
    'Nothing is sent to the contact on that channel, or on any with `all`: a send is refused with `suppressed`, and one that waits fails with it. One a channel: 201 when it is new, 200 when there was one.',
  isIdempotent: true,
  body: Joi.object<SuppressionBody>(suppressionFields),
  responses: { 200: wrapped(suppressionView), 201: wrapped(suppressionView) },
  example: {
    body: { channel: 'messaging_app', reason: 'unsubscribed' },
  },
  handler: ({ params, body: { channel, reason, expires_at: expiresAt }, caller, write }) =>
    changeContact(write, params.contactID, async (tx) => {
      const by = { actor: actorOf(caller), source: '', proof: '' };
      const { row, isNew } = await suppress(tx, { channel, reason, expiresAt }, by);
      return { status: isNew ? 201 : 200, body: { data: toView(row) } };
    }),
});

export const deleteSuppression = endpoint({
  ...aboutContact,
  method: 'delete',
  path: '/v1/contacts/:contactID/suppressions/:suppressionID',
  operationId: 'contacts.suppressions.delete',
  scope: 'contacts:write',
  summary: 'Delete a suppression',
  description: 'Its channel may be used again, unless another one covers it. Consent stays as it is.',
  responses: { 204: null },
  handler: ({ params, caller, write }, { secrets }) =>
    changeContact(write, params.contactID, async (tx) => {
      await liftSuppression(tx, secrets, params.suppressionID, { actor: actorOf(caller), source: '', proof: '' });
      return { status: 204 };
    }),
});
