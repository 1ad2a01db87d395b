import Joi from 'joi';
import { type TagRow, tagName } from '../../src/contacts/tag-catalogue.ts';
import { assignTag, listTagsOf, maxTagsOfContact, unassignTag } from '../../src/contacts/tags.ts';
import { exampleIds, exampleTime } from '../../src/platform/examples.ts';
import { endpoint } from '../http/endpoint.ts';
import { dataList, type PageQuery, pageQuery } from '../http/paging.ts';
import { id, iso, timestamp } from '../http/schemas.ts';
import { view, wrapped } from '../http/view.ts';
import { aboutContact, changeContact, data, listedData } from './schemas.ts';

const assignedView = view(
  Joi.object({
    id: id.required(),
    name: Joi.string().required(),
    created_at: timestamp.required().description('When it was assigned'),
  }),
  { id: exampleIds.tag, name: 'vip', created_at: exampleTime },
);

const toView = ({ created_at, ...row }: TagRow) => ({ ...row, created_at: iso(created_at) });

export const listOfContactTags = endpoint({
  ...aboutContact,
  method: 'get',
  path: '/v1/contacts/:contactID/tags',
  operationId: 'contacts.tags.list',
  scope: 'contacts:read',
  summary: 'List the tags of a contact, last assigned first',
  query: Joi.object<PageQuery>(pageQuery),
  responses: { 200: dataList(assignedView) },
  handler: ({ params, query, own }) =>
    listedData('contact-tags', params, query, (page) => listTagsOf(own, params.contactID, page), toView),
});

export const assignContactTag = endpoint({
  ...aboutContact,
  method: 'post',
  path: '/v1/contacts/:contactID/tags',
  operationId: 'contacts.tags.assign',
  scope: 'contacts:write',
  summary: 'Assign a tag to a contact',
  description: `201 when the contact did not have it, 200 when it did. A name nobody used before becomes a tag of the organization. A contact has at most ${maxTagsOfContact}.`,
  isIdempotent: true,
  body: Joi.object<{ name: string }>({ name: tagName.required() }),
  responses: { 200: wrapped(assignedView), 201: wrapped(assignedView) },
  location: '/v1/tags',
  example: { body: { name: 'vip' } },
  handler: ({ params, body, write }) =>
    changeContact(write, params.contactID, async (tx) => {
      const { row, isNew } = await assignTag(tx, body.name);
      return { ...data(toView(row)), status: isNew ? 201 : 200 };
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
  responses: { 204: null },
  handler: ({ params, write }) =>
    changeContact(write, params.contactID, async (tx) => {
      await unassignTag(tx, params.tagID);
      return { status: 204 };
    }),
});
