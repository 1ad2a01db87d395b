import { defineEntity, p } from '@mikro-orm/core';
import { computed, tenant, times, timestamp } from '../platform/database/columns.ts';

export const taskStatuses = ['open', 'in_progress', 'done', 'cancelled'] as const;
export type TaskStatus = (typeof taskStatuses)[number];

export const taskPriorities = ['low', 'normal', 'high', 'urgent'] as const;
export type TaskPriority = (typeof taskPriorities)[number];

export const taskTypes = ['todo', 'call', 'meeting', 'message'] as const;
export type TaskType = (typeof taskTypes)[number];

export const richTextTypes = ['prosemirror', 'custom'] as const;
/** As the client sent it. Its words are the task's `description`. */
export type StoredRichText = { type: (typeof richTextTypes)[number]; json: unknown };

export const Task = defineEntity({
  name: 'Task',
  tableName: 'crm_tasks',
  properties: {
    ...tenant(),
    title: p.text(),
    description: p.text().default(''),
    description_rich: p.json<StoredRichText>().strictNullable(),
    status: p.enum(taskStatuses).default('open'),
    priority: p.enum(taskPriorities).default('normal'),
    type: p.enum(taskTypes).default('todo'),
    /** A member's user id. */
    assignee_id: p.uuid().strictNullable(),
    due_at: timestamp().strictNullable(),
    /** null: reminds at `due_at`. */
    remind_at: timestamp().strictNullable(),
    reminded_at: timestamp().strictNullable(),
    /** The job that waits to remind; null: none does. */
    reminder_job_id: p.uuid().strictNullable(),
    completed_at: timestamp().strictNullable(),
    /** `user:<id>`, `key:<id>`. */
    created_by: p.text().default(''),
    revision: p.integer().default(1),
    search: computed(`(' ' || searchable(title || E'\\n' || description)) stored`),
    /** In the bin since then. */
    deleted_at: timestamp().strictNullable(),
    ...times(),
  },
});

export const TaskTarget = defineEntity({
  name: 'TaskTarget',
  tableName: 'task_targets',
  properties: {
    ...tenant(),
    task_id: p.uuid(),
    /** One of these four is set. */
    contact_id: p.uuid().strictNullable(),
    conversation_id: p.uuid().strictNullable(),
    deal_id: p.uuid().strictNullable(),
    record_id: p.uuid().strictNullable(),
    object_id: p
      .uuid()
      .generated('(coalesce(contact_id, conversation_id, deal_id, record_id)) stored')
      .lazy() as unknown as ReturnType<ReturnType<typeof p.uuid>['defaultRaw']>,
    created_by: p.text().default(''),
    ...times(),
  },
});
