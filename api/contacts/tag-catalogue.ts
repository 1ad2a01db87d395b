import Joi from 'joi';
import {
  type CountedTag,
  countedTag,
  deleteTag,
  ensureTag,
  listTags,
  maxTags,
  renameTag,
  tagName,
} from '../../src/contacts/tag-catalogue.ts';
import { runsThrough } from '../../src/platform/database/statement.ts';
import { exampleIds, exampleTime } from '../../src/platform/examples.ts';
import { endpoint, ok } from '../http/endpoint.ts';
import { listed, listOf, type PageQuery, pageQuery } from '../http/paging.ts';
import { id, iso, timestamp } from '../http/schemas.ts';
import { view } from '../http/view.ts';
import { tag } from './schemas.ts';

export const tagView = view(
  'tag',
  Joi.object({
    id: id.required(),
    name: Joi.string().required(),
    contacts: Joi.number().integer().required().description('How many contacts have it'),
    created_at: timestamp.required(),
  }),
  { id: exampleIds.tag, name: 'vip', contacts: 12, created_at: exampleTime },
);

const toView = ({ id: tagId, name, contacts, created_at }: CountedTag) => ({
  id: tagId,
  name,
  contacts,
  created_at: iso(created_at),
});
const about = { tag, subject: 'Tag' };
const tagBody = Joi.object<{ name: string }>({ name: tagName.required() });

export const listOfTags = endpoint({
  method: 'get',
  path: '/v1/tags',
  operationId: 'tags.list',
  tag,
  scope: 'contacts:read',
  summary: 'List the tags of the organization, newest first',
  query: Joi.object<PageQuery>(pageQuery),
  responses: { 200: listOf(tagView) },
  handler: ({ query, caller }, { reads }) =>
    reads.dear(caller.organizationId, (ask) =>
      listed('tags', {}, query, (page) => listTags(runsThrough(ask, caller.organizationId), page), toView),
    ),
});

export const getTag = endpoint({
  ...about,
  method: 'get',
  path: '/v1/tags/:tagID',
  operationId: 'tags.get',
  scope: 'contacts:read',
  summary: 'Get one tag',
  responses: { 200: tagView },
  handler: async ({ params: { tagID }, own }) => ok(toView(await countedTag(own, tagID))),
});

export const createTag = endpoint({
  method: 'post',
  path: '/v1/tags',
  operationId: 'tags.create',
  tag,
  scope: 'contacts:write',
  summary: 'Make a tag',
  description: `200 with the tag that there is when one has the name already, in whatever case and accents. An organization has at most ${maxTags}.`,
  isIdempotent: true,
  body: tagBody,
  responses: { 200: tagView, 201: tagView },
  example: { body: { name: 'vip' } },
  handler: ({ body, write }) =>
    write({}, async ({ own }) => {
      const { row, isNew } = await ensureTag(own, body.name);
      const reply = ok(toView(isNew ? { ...row, contacts: 0 } : await countedTag(own, row.id)));
      return isNew ? { ...reply, status: 201 } : reply;
    }),
});

export const patchTag = endpoint({
  ...about,
  method: 'patch',
  path: '/v1/tags/:tagID',
  operationId: 'tags.update',
  scope: 'contacts:write',
  summary: 'Rename a tag',
  description:
    'For every contact that has it. None of them emits `contact.updated` for it. Another tag of that name: 409 with its id.',
  body: tagBody,
  responses: { 200: tagView },
  example: { body: { name: 'vip' } },
  handler: ({ params: { tagID }, body, write }) =>
    write({}, async ({ own }) => ok(toView(await renameTag(own, tagID, body.name)))),
});

export const deleteOneTag = endpoint({
  ...about,
  method: 'delete',
  path: '/v1/tags/:tagID',
  operationId: 'tags.delete',
  scope: 'contacts:write',
  summary: 'Delete a tag',
  description: 'Everybody loses it. None of these contacts emits `contact.updated` for it: that would be a flood.',
  audit: 'tag',
  responses: { 204: null },
  handler: ({ params: { tagID }, write }) =>
    write({ isLong: true }, async ({ own }) => {
      await deleteTag(own, tagID);
      return { status: 204 };
    }),
});
