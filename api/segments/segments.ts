import Joi from 'joi';
import { countSegment, keepCount, maxCount } from '../../src/segments/count.ts';
import {
  changeSegment,
  createSegment,
  deleteSegment,
  getSegment,
  listSegments,
  maxSegments,
  type NewSegment,
  type SegmentPatch,
  segmentLock,
  segmentsLock,
} from '../../src/segments/segments.ts';
import { endpoint, ok } from '../http/endpoint.ts';
import { listed, listOf, type PageQuery, pageQuery } from '../http/paging.ts';
import { aboutSegment, assertSeesContacts, kind, segmentView, selectionFields, tag, toSegmentView } from './segment-schemas.ts';

const path = '/v1/segments';
const onePath = `${path}/:segmentID` as const;

const fields = {
  name: Joi.string()
    .trim()
    .min(1)
    .max(200)
    .pattern(/^[^\p{Cc}\p{Zl}\p{Zp}]*$/u)
    .messages({ 'string.pattern.base': '{{#label}} must be one line without control characters' })
    .description('Unique, whatever its case and accents'),
  description: Joi.string().trim().allow('').max(2_000),
  ...selectionFields,
};

export const listOfSegments = endpoint({
  tag,
  method: 'get',
  path,
  operationId: 'segments.list',
  scope: 'campaigns:read',
  summary: 'List segments, newest first',
  query: Joi.object<PageQuery>(pageQuery),
  responses: { 200: listOf(segmentView) },
  handler: ({ query, own }) => listed('segments', {}, query, (page) => listSegments(own, page), toSegmentView),
});

export const createOneSegment = endpoint({
  tag,
  method: 'post',
  path,
  operationId: 'segments.create',
  scope: 'campaigns:write',
  summary: 'Create a segment',
  description: `A dynamic one is a stored listing of contacts: \`search\`, \`filters\` and \`tags\`, all of which must hold; with none of them it is every contact. They are checked as the list of contacts checks them, with the same errors. A static one begins without members. An organization has at most ${maxSegments}.`,
  audit: 'segment',
  isIdempotent: true,
  body: Joi.object<NewSegment>({
    ...fields,
    name: fields.name.required(),
    kind: kind.required(),
    description: fields.description.default(''),
    search: fields.search.default(''),
    filters: fields.filters.default([]),
    tags: fields.tags.default([]),
  }),
  responses: { 201: segmentView },
  errors: [409],
  example: {
    body: {
      name: 'Gold customers',
      kind: 'dynamic',
      filters: [{ field: 'custom_fields.tier', operator: 'eq', value: 'gold' }],
      tags: ['vip'],
    },
  },
  handler: ({ body, own, write }) =>
    write({ locks: [segmentsLock(own.organizationId)] }, async (tx) => ({
      status: 201,
      body: toSegmentView(await createSegment(tx.own, body)),
    })),
});

export const getOneSegment = endpoint({
  ...aboutSegment,
  method: 'get',
  path: onePath,
  operationId: 'segments.get',
  scope: 'campaigns:read',
  summary: 'Get one segment',
  description: 'With the count of the last time it was asked for.',
  responses: { 200: segmentView },
  handler: async ({ params, own }) => ok(toSegmentView(await getSegment(own, params.segmentID))),
});

export const patchOneSegment = endpoint({
  ...aboutSegment,
  method: 'patch',
  path: onePath,
  operationId: 'segments.update',
  scope: 'campaigns:write',
  summary: 'Change a segment',
  description:
    'What is not given stays. Its kind cannot be changed. Other filters: the count is null until it is asked for again.',
  audit: 'segment',
  body: Joi.object<SegmentPatch>(fields).min(1),
  responses: { 200: segmentView },
  errors: [409],
  example: { body: { name: 'Gold and platinum' } },
  handler: ({ params, body, own, write }) =>
    write({ locks: [segmentsLock(own.organizationId)] }, async (tx) => ({
      ...ok(toSegmentView(await changeSegment(tx.own, params.segmentID, body))),
      audit: { details: { changed: Object.keys(body) } },
    })),
});

export const deleteOneSegment = endpoint({
  ...aboutSegment,
  method: 'delete',
  path: onePath,
  operationId: 'segments.delete',
  scope: 'campaigns:write',
  summary: 'Delete a segment',
  description: 'Its contacts stay.',
  audit: 'segment',
  responses: { 204: null },
  handler: ({ params: { segmentID }, write }) =>
    write({ locks: [segmentLock(segmentID)] }, async ({ own }) => {
      await deleteSegment(own, segmentID);
      return { status: 204 };
    }),
});

export const countOneSegment = endpoint({
  ...aboutSegment,
  method: 'post',
  path: `${onePath}/count`,
  operationId: 'segments.count',
  scope: 'campaigns:read',
  summary: 'Count the contacts of a segment now',
  description: `Exactly up to ${maxCount}, which means that many or more. The segment keeps the count with its time, and its other reads show it. Needs \`contacts:read\` too. What takes too long is a 503 that says so, and the count before stays.`,
  responses: { 200: segmentView },
  async handler({ params, own, caller, write }, { reads }) {
    const segment = await getSegment(own, params.segmentID);
    assertSeesContacts(caller);
    const count = await reads.dear(own.organizationId, (ask) => countSegment(ask, own, segment));
    return write({}, async (tx) => ok(toSegmentView(await keepCount(tx.own, segment, count))));
  },
});
