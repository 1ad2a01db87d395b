import type { Own } from '../platform/database/own.ts';
import { invalidField, notFound } from '../platform/errors.ts';
import { bindingOf } from '../platform/listing/cursor.ts';
import type { Fields } from '../platform/listing/fields.ts';
import { type Listing, type ListRequest, readListing } from '../platform/listing/listing.ts';
import { type ListPage, type ListRows, listRows } from '../platform/listing/page.ts';
import type { Reads } from '../platform/listing/reads.ts';
import type { ListedTable } from '../platform/listing/table.ts';
import { targetKinds } from './target-rows.ts';
import type { TargetRef } from './targets.ts';
import { taskPriorities, taskStatuses, taskTypes } from './task.entity.ts';
import { type TaskRow, taskColumns } from './task-row.ts';

const linkTo = (column: string) => ({
  from: `task_targets t where t.organization_id = k.organization_id and t.task_id = k.id and t.${column} is not null`,
  id: `t.${column}`,
});

export const taskFields: Fields = {
  columns: {
    id: { sql: 'k.id', type: 'id' },
    status: { sql: 'k.status', type: 'choice', values: taskStatuses },
    assignee_id: { sql: 'k.assignee_id', type: 'id', isNullable: true },
    priority: { sql: 'k.priority', type: 'choice', values: taskPriorities, isUnindexed: true },
    type: { sql: 'k.type', type: 'choice', values: taskTypes, isUnindexed: true },
    title: { sql: 'k.title', type: 'text', isUnindexed: true },
    due_at: {
      sql: 'k.due_at',
      inOrder: `coalesce(k.due_at, 'infinity'::timestamptz)`,
      type: 'time',
      isSortable: true,
      isNullable: true,
    },
    created_at: { sql: 'k.created_at', type: 'time', isSortable: true },
    updated_at: { sql: 'k.updated_at', type: 'time', isSortable: true },
  },
  objects: {},
  names: {},
  links: {
    contact_id: linkTo('contact_id'),
    conversation_id: linkTo('conversation_id'),
    deal_id: linkTo('deal_id'),
    record_id: linkTo('record_id'),
  },
  search: { text: 'k.search', words: `k.title || ' ' || k.description` },
};

/** The filters that a work list names as parameters of their own. */
export type WorkFilter = { status?: string[]; assignee_id?: string; due_before?: string; due_after?: string };

type Filter = { field: string; operator: string; value: unknown };
const when = (value: unknown, field: string, operator: string): Filter[] => (value ? [{ field, operator, value }] : []);

/** One status by itself: its index has the tasks in the order of the list. */
const filtersOf = ({ status = [], assignee_id, due_before, due_after }: WorkFilter) => [
  ...(status.length > 1 ? when(status, 'status', 'in') : when(status[0], 'status', 'eq')),
  ...when(assignee_id, 'assignee_id', 'eq'),
  ...when(due_before, 'due_at', 'lt'),
  ...when(due_after, 'due_at', 'gt'),
];

const builtIn: readonly string[] = targetKinds;
const aboutOf = (about: TargetRef | undefined): Filter[] =>
  about ? when(about.object_id, builtIn.includes(about.object_kind) ? `${about.object_kind}_id` : 'record_id', 'eq') : [];

/** `about`: only tasks that have this target. Throws 400 for filters that are not a JSON array, 422 for invalid ones. */
export function readTaskListing(request: ListRequest, work: WorkFilter = {}, about?: TargetRef): Listing {
  const asked = readListing('tasks', taskFields, request);
  const more = [...filtersOf(work), ...aboutOf(about)];
  if (more.length === 0) return asked;
  const own = readListing('tasks', taskFields, { filters: JSON.stringify(more) });
  return {
    ...asked,
    conditions: [...own.conditions, ...asked.conditions],
    unindexed: own.unindexed + asked.unindexed,
    binding: bindingOf([own.binding, asked.binding, about?.object_kind]),
  };
}

/** SQL: records and their types are an upper domain's tables. */
const recordOfKind = `
  select r.id is not null as is_there
    from object_types o
    left join records r on r.organization_id = $1 and r.type_id = o.id and r.id = $3 and r.deleted_at is null
   where o.organization_id = $1
     and o.kind = $2
     and o.deleted_at is null`;

/** False: no object of that kind has the id, so that there is no task about it. Throws 422 for a kind that is none. */
export async function isObjectOfKind(own: Own, { object_kind, object_id }: TargetRef): Promise<boolean> {
  if (builtIn.includes(object_kind)) return true;
  const [found] = await own.sql<{ is_there: boolean }>(recordOfKind, [object_kind, object_id]);
  if (!found) throw invalidField('object_kind', `${object_kind} is no kind that a task can be about`, 'kind.unknown', 'query');
  return found.is_there;
}

export const taskTable: ListedTable = {
  name: 'crm_tasks',
  fields: taskFields,
  columns: taskColumns,
  where: 'k.deleted_at is null',
};

export const listTasks = (
  reads: Reads,
  organizationId: string,
  listing: Listing,
  page: ListPage & { includeTotal?: boolean },
): Promise<ListRows<TaskRow>> => listRows(reads, taskTable, organizationId, listing, page);

/** SQL: deals have no rule of their own about being there that tasks could ask. */
const dealStatement = `
  select 1
    from deals
   where organization_id = $1
     and id = $2
     and deleted_at is null`;

/** Throws 404. */
export async function assertDeal(own: Own, id: string): Promise<void> {
  const found = await own.sql(dealStatement, [id]);
  if (found.length === 0) throw notFound('Deal');
}
