import Joi from 'joi';
import { contactLock } from '../../src/contacts/events.ts';
import { type TagRow, tagName } from '../../src/contacts/tag-catalogue.ts';
import { assignTag, listTagsOf, mostTagsOfContact, unassignTag } from '../../src/contacts/tags.ts';
import { exampleIds, exampleTime } from '../../src/platform/examples.ts';
import { endpoint } from '../http/endpoint.ts';
import { type PageQuery, pageQuery } from '../http/paging.ts';
import { id, iso, pathId, timestamp } from '../http/schemas.ts';
import { aboutContact, contactParams, data, dataList, exampleMeta, listedData, wrapped } from './schemas.ts';

const assignedView = Joi.object({
  id: id.required(),
  name: Joi.string().required(),
  created_at: timestamp.required().description('When it was assigned'),
});

const toView = ({ created_at, ...row }: TagRow) => ({ ...row, created_at: iso(created_at) });
const exampleTag = { id: exampleIds.tag, name: 'vip', created_at: exampleTime };

export const listOfContactTags = endpoint<unknown, PageQuery>({
  ...aboutContact,
  method: 'get',
  path: '/v1/contacts/:contactID/tags',
  operationId: 'contacts.tags.list',
  scope: 'contacts:read',
  summary: 'List the tags of a contact, last assigned first',
  query: Joi.object(pageQuery),
  responses: { 200: dataList(assignedView) },
  errors: [400, 401, 403, 404, 422],
  example: { params: contactParams, reply: { data: [exampleTag], meta: exampleMeta } },
  handler: ({ params, query, caller, em }) =>
    listedData('contact-tags', params, query, (page) => listTagsOf(em, caller.organizationId, params.contactID!, page), toView),
});

export const assignContactTag = endpoint<{ name: string }>({
  ...aboutContact,
  method: 'post',
  path: '/v1/contacts/:contactID/tags',
  operationId: 'contacts.tags.assign',
  scope: 'contacts:write',
  summary: 'Assign a tag to a contact',
  description: `201 when the contact did not have it, 200 when it did. A name nobody used before becomes a tag of the organization. A contact has at most ${mostTagsOfContact}.`,
  isIdempotent: true,
  body: Joi.object({ name: tagName.required() }),
  responses: { 200: wrapped(assignedView), 201: wrapped(assignedView) },
  errors: [400, 401, 403, 404, 422],
  example: { params: contactParams, body: { name: 'vip' }, reply: { data: exampleTag } },
  handler: ({ params, body, caller, write }) =>
    write({ locks: [contactLock(params.contactID!)] }, async (tx) => {
      const { row, isNew } = await assignTag(tx, caller.organizationId, params.contactID!, body.name);
      const reply = data(toView(row));
      if (!isNew) return reply;
      return { ...reply, status: 201, headers: { Location: `/v1/tags/${row.id}` } };
    }),
});

export const unassignContactTag = endpoint({
  ...aboutContact,
  method: 'delete',
  path: '/v1/contacts/:contactID/tags/:tagID',
  operationId: 'contacts.tags.remove',
  scope: 'contacts:write',
  summary: 'Take a tag from a contact',
  description: 'The tag stays one of the organization.',
  subject: 'Tag',
  params: { contactID: pathId, tagID: pathId },
  responses: { 204: null },
  errors: [401, 403, 404, 422],
  example: { params: { ...contactParams, tagID: exampleIds.tag } },
  handler: ({ params, caller, write }) =>
    write({ locks: [contactLock(params.contactID!)] }, async (tx) => {
      await unassignTag(tx, caller.organizationId, params.contactID!, params.tagID!);
      return { status: 204 };
    }),
});
