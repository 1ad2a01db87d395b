import Joi from 'joi';
import { exampleIds } from '../../src/platform/examples.ts';
import { bindingOf, cursorOf, positionIn } from '../../src/platform/listing/cursor.ts';
import { addMembers, listMembers, listSelected, maxMembers, removeMember } from '../../src/segments/members.ts';
import { getSegment, segmentLock } from '../../src/segments/segments.ts';
import { readSelection } from '../../src/segments/selection.ts';
import { contactView, toContactView } from '../contacts/schemas.ts';
import { endpoint, ok } from '../http/endpoint.ts';
import { pageOfListing } from '../http/listing.ts';
import { dataList, type PageQuery, pageFrom, pageQuery } from '../http/paging.ts';
import { id } from '../http/schemas.ts';
import { view } from '../http/view.ts';
import { aboutSegment, assertSeesContacts } from './segment-schemas.ts';

const path = '/v1/segments/:segmentID/members';
const maxAdded = 1_000;

export const listOfMembers = endpoint({
  ...aboutSegment,
  method: 'get',
  path,
  operationId: 'segments.members.list',
  scope: 'campaigns:read',
  summary: 'List the contacts of a segment, newest first',
  description:
    'Of either kind. Needs `contacts:read` too. Those of a dynamic segment are read as the list of contacts reads them: where each contact must be looked at, a page may be short, or empty, while `has_more` is true; go on with `next_cursor`.',
  query: Joi.object<PageQuery>({ ...pageQuery, cursor: pageQuery.cursor.max(8_192) }),
  responses: { 200: dataList(contactView) },
  async handler({ params, query, own, caller }, { reads }) {
    const segment = await getSegment(own, params.segmentID);
    assertSeesContacts(caller);
    if (segment.kind === 'dynamic') {
      const listing = readSelection(segment);
      const { rows, meta } = await pageOfListing(
        listing,
        query,
        (page) => listSelected(reads, own, segment, page),
        toContactView,
      );
      return ok({ data: rows, meta });
    }
    const binding = bindingOf(['segments.members', segment.id]);
    const after = query.cursor === undefined ? undefined : positionIn(query.cursor, binding, ['id']);
    const asked = { limit: query.limit, after, includeTotal: query.include_total };
    const { rows, total } = await listMembers(reads, own, segment.id, asked);
    const page = pageFrom(query, rows, (row) => cursorOf(binding, [row.id]), total);
    return ok({ data: page.rows.map(toContactView), meta: page.meta });
  },
});

const number = Joi.number().integer().required();
const addedView = view(Joi.object({ added: number, already: number.description('Members before') }), { added: 1, already: 0 });

export const addSegmentMembers = endpoint({
  ...aboutSegment,
  method: 'post',
  path,
  operationId: 'segments.members.add',
  scope: 'campaigns:write',
  summary: 'Add contacts to a static segment',
  description: `All or none: an unknown contact is a 422 that names it. A member that is added again stays one. A segment has at most ${maxMembers} members. A dynamic segment: 409.`,
  audit: 'segment',
  isIdempotent: true,
  body: Joi.object<{ contact_ids: string[] }>({ contact_ids: Joi.array().items(id).min(1).max(maxAdded).required() }),
  responses: { 200: addedView },
  errors: [409],
  example: { body: { contact_ids: [exampleIds.contact] } },
  handler: ({ params: { segmentID }, body, write }) =>
    write({ locks: [segmentLock(segmentID)], isLong: true }, async ({ own }) => {
      const done = await addMembers(own, segmentID, body.contact_ids);
      return { ...ok(done), audit: { details: done } };
    }),
});

export const removeSegmentMember = endpoint({
  ...aboutSegment,
  method: 'delete',
  path: `${path}/:contactID`,
  operationId: 'segments.members.remove',
  scope: 'campaigns:write',
  summary: 'Take a contact out of a static segment',
  description: 'The contact stays. Who is no member is a 404, a dynamic segment a 409.',
  audit: 'segment',
  responses: { 204: null },
  errors: [409],
  handler: ({ params: { segmentID, contactID }, write }) =>
    write({}, async ({ own }) => {
      await removeMember(own, segmentID, contactID);
      return { status: 204, audit: { details: { contact_id: contactID } } };
    }),
});
