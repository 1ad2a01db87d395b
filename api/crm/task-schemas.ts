import Joi from 'joi';
import { exampleIdOf, exampleIds, exampleTime } from '../../src/platform/examples.ts';
import { objectKind, richJson, richType, taskPriority, taskStatus, taskType } from '../../src/tasks/schemas.ts';
import type { TargetRow } from '../../src/tasks/target-rows.ts';
import type { TaskRow } from '../../src/tasks/task-row.ts';
import { id, iso, timestamp } from '../http/schemas.ts';
import { view } from '../http/view.ts';

export const tag = 'CRM';
export const aboutTask = { tag, subject: 'Task' };

const exampleTarget = {
  id: exampleIdOf('target'),
  object_id: exampleIds.contact,
  object_kind: 'contact',
  created_by: `user:${exampleIds.user}`,
  created_at: exampleTime,
  updated_at: exampleTime,
};

const author = Joi.string().description('`user:<id>`, or `key:<id>` for a program');

export const targetView = view(
  'task_target',
  Joi.object({
    id: id.required(),
    object_id: id.required(),
    object_kind: objectKind.required(),
    created_by: author,
    created_at: timestamp.required(),
    updated_at: timestamp.required(),
  }),
  exampleTarget,
);

export const toTargetView = ({ created_by, created_at, updated_at, ...row }: TargetRow) => ({
  ...row,
  ...(created_by && { created_by }),
  created_at: iso(created_at),
  updated_at: iso(updated_at),
});

export const taskView = view(
  'crm_task',
  Joi.object({
    id: id.required(),
    title: Joi.string().required(),
    description: Joi.string().allow('').required().description('The words of `description_rich`, or plain words'),
    description_rich: Joi.object({
      type: richType.required(),
      json: richJson,
      plain_text: Joi.string().allow('').required(),
    }).description('Left out when there is none'),
    status: taskStatus.required(),
    priority: taskPriority.required(),
    type: taskType.required(),
    assignee_id: id.description('The user id of a member; left out when nobody has the task'),
    due_at: timestamp,
    remind_at: timestamp.description('Left out when it reminds at `due_at`'),
    completed_at: timestamp.description('Only of a task that is done'),
    created_by: author,
    object_id: id.description('Of the first target; left out without targets'),
    object_kind: objectKind,
    targets: Joi.array()
      .items(targetView.schema)
      .required()
      .description('What the task is about, in the order in which it was added'),
    revision: Joi.number().integer().required().description('One more with each change'),
    created_at: timestamp.required(),
    updated_at: timestamp.required(),
  }),
  {
    id: exampleIdOf('task'),
    title: 'Call about the offer',
    description: 'Ask for the delivery address',
    description_rich: {
      type: 'prosemirror',
      json: {
        type: 'doc',
        content: [{ type: 'paragraph', content: [{ type: 'text', text: 'Ask for the delivery address' }] }],
      },
      plain_text: 'Ask for the delivery address',
    },
    status: 'open',
    priority: 'high',
    type: 'call',
    assignee_id: exampleIds.user,
    due_at: exampleTime,
    created_by: `user:${exampleIds.user}`,
    object_id: exampleTarget.object_id,
    object_kind: exampleTarget.object_kind,
    targets: [exampleTarget],
    revision: 1,
    created_at: exampleTime,
    updated_at: exampleTime,
  },
);

const timeOf = <Name extends 'due_at' | 'remind_at' | 'completed_at'>(row: TaskRow, name: Name) =>
  row[name] && { [name]: iso(row[name]) };

/** What there is none of is left out. */
export const toTaskView = (row: TaskRow) => ({
  id: row.id,
  title: row.title,
  description: row.description,
  ...(row.description_rich && { description_rich: { ...row.description_rich, plain_text: row.description } }),
  status: row.status,
  priority: row.priority,
  type: row.type,
  ...(row.assignee_id && { assignee_id: row.assignee_id }),
  ...timeOf(row, 'due_at'),
  ...timeOf(row, 'remind_at'),
  ...timeOf(row, 'completed_at'),
  ...(row.created_by && { created_by: row.created_by }),
  ...(row.targets[0] && { object_id: row.targets[0].object_id, object_kind: row.targets[0].object_kind }),
  targets: row.targets.map(toTargetView),
  revision: row.revision,
  created_at: iso(row.created_at),
  updated_at: iso(row.updated_at),
});
