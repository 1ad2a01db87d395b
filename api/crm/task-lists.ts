import Joi from 'joi';
import { assertContact } from '../../src/contacts/queries.ts';
import { findBrief } from '../../src/messaging/inbox/conversation-row.ts';
import type { Listing } from '../../src/platform/listing/listing.ts';
import type { ListPage } from '../../src/platform/listing/page.ts';
import type { Reads } from '../../src/platform/listing/reads.ts';
import { assertDeal, isObjectOfKind, listTasks, readTaskListing, taskFields, type WorkFilter } from '../../src/tasks/list.ts';
import { objectKind } from '../../src/tasks/schemas.ts';
import { type TaskStatus, taskStatuses } from '../../src/tasks/task.entity.ts';
import { endpoint, ok } from '../http/endpoint.ts';
import { type ListQuery, listQuery, pageOfListing } from '../http/listing.ts';
import { listOf, type PageQuery, pageQuery } from '../http/paging.ts';
import { id, moment } from '../http/schemas.ts';
import { tag, taskView, toTaskView } from './task-schemas.ts';

const known: readonly string[] = taskStatuses;

const statuses = Joi.string()
  .max(100)
  .custom((text: string, { error }) => {
    const given = text.split(',').map((one) => one.trim());
    return given.every((one) => known.includes(one)) ? given : error('any.only', { valids: taskStatuses });
  })
  .description(`One of ${taskStatuses.join(', ')}, or several with commas`);

type TaskQuery = ListQuery & Omit<WorkFilter, 'status'> & { status?: TaskStatus[]; object_kind?: string; object_id?: string };

const about = { tag };

async function pageOfTasks(reads: Reads, organizationId: string, listing: Listing, query: PageQuery) {
  const read = (page: ListPage & { includeTotal: boolean }) => listTasks(reads, organizationId, listing, page);
  const { rows: items, meta } = await pageOfListing(listing, query, read, toTaskView);
  return ok({ items, meta });
}

export const listOfTasks = endpoint({
  ...about,
  method: 'get',
  path: '/v1/crm/tasks',
  operationId: 'crm.tasks.list',
  scope: 'crm:read',
  summary: 'List tasks: mine, due, overdue, about one record',
  description:
    '`object_kind` and `object_id` go together and find the tasks about that record; with one that is not there the list is empty. Overdue: `due_before` now with `status=open,in_progress`. A task without `due_at` comes last in the order `due_at`. A filter on `priority`, `type` or `title` looks at tasks one by one: its page ends after so many, and may be short, or empty, while `has_more` is true; go on with `next_cursor`.',
  query: Joi.object<TaskQuery>({
    ...listQuery(taskFields),
    status: statuses,
    assignee_id: id.description('The user id of who has them'),
    due_before: moment.description('Due earlier than this'),
    due_after: moment.description('Due later than this'),
    object_kind: objectKind,
    object_id: id,
  }).and('object_kind', 'object_id'),
  responses: { 200: listOf(taskView) },
  example: { query: { status: 'open,in_progress', sort: 'due_at' } },
  async handler({ query, own }, { reads }) {
    const { object_kind, object_id } = query;
    const target = object_kind && object_id ? { object_kind, object_id } : undefined;
    const listing = readTaskListing(query, query, target);
    if (target && !(await isObjectOfKind(own, target)))
      return ok({ items: [], meta: { has_more: false, limit: query.limit, ...(query.include_total && { total: 0 }) } });
    return pageOfTasks(reads, own.organizationId, listing, query);
  },
});

const listAbout = {
  scope: 'crm:read',
  method: 'get',
  query: Joi.object<PageQuery>(pageQuery),
  responses: { 200: listOf(taskView) },
} as const;

export const listOfContactTasks = endpoint({
  ...about,
  ...listAbout,
  subject: 'Contact',
  path: '/v1/contacts/:contactID/tasks',
  operationId: 'contacts.tasks.list',
  summary: 'List the tasks about a contact, newest first',
  async handler({ params, query, own }, { reads }) {
    await assertContact(own, params.contactID);
    const listing = readTaskListing({}, {}, { object_kind: 'contact', object_id: params.contactID });
    return pageOfTasks(reads, own.organizationId, listing, query);
  },
});

export const listOfConversationTasks = endpoint({
  ...about,
  ...listAbout,
  subject: 'Conversation',
  path: '/v1/conversations/:conversationID/tasks',
  operationId: 'conversations.tasks.list',
  summary: 'List the tasks about a conversation, newest first',
  async handler({ params, query, own }, { reads }) {
    await findBrief(own, params.conversationID);
    const listing = readTaskListing({}, {}, { object_kind: 'conversation', object_id: params.conversationID });
    return pageOfTasks(reads, own.organizationId, listing, query);
  },
});

export const listOfDealTasks = endpoint({
  ...about,
  ...listAbout,
  subject: 'Deal',
  path: '/v1/crm/deals/:dealID/tasks',
  operationId: 'crm.deals.tasks.list',
  summary: 'List the tasks about a deal, newest first',
  async handler({ params, query, own }, { reads }) {
    await assertDeal(own, params.dealID);
    const listing = readTaskListing({}, {}, { object_kind: 'deal', object_id: params.dealID });
    return pageOfTasks(reads, own.organizationId, listing, query);
  },
});
