import Joi from 'joi';
import { actorOf } from '../../src/organizations/caller.ts';
import { exampleIds } from '../../src/platform/examples.ts';
import { Afterwards, type OwnTx } from '../../src/platform/ledger/tx.ts';
import { completeTask, deleteTask, patchTask, reopenTask, restoreTask, type TaskPatch } from '../../src/tasks/change.ts';
import { createTask, creationOf, type NewTask } from '../../src/tasks/create.ts';
import { newTaskFields, taskPatchFields, taskWords } from '../../src/tasks/schemas.ts';
import { getTask, type TaskRow, taskWrite } from '../../src/tasks/task-row.ts';
import { endpoint, type Input, ok, type Reply } from '../http/endpoint.ts';
import { listOf } from '../http/paging.ts';
import { historyQuery, historyReply, historyView } from './history-view.ts';
import { aboutTask, taskView, toTaskView } from './task-schemas.ts';

/** One write to a task. */
const changing = (
  { params, caller, write }: Pick<Input<unknown, unknown>, 'params' | 'caller' | 'write'>,
  change: (tx: OwnTx, id: string, actor: string) => Promise<TaskRow>,
): Promise<Reply> =>
  write(taskWrite(params.taskID!), async ({ own }) => ok(toTaskView(await change(own, params.taskID!, actorOf(caller)))));

export const createOneTask = endpoint({
  ...aboutTask,
  method: 'post',
  path: '/v1/crm/tasks',
  operationId: 'crm.tasks.create',
  scope: 'crm:write',
  summary: 'Create a task',
  isIdempotent: true,
  body: Joi.object<NewTask>(newTaskFields).oxor(...taskWords),
  responses: { 201: taskView },
  example: {
    body: {
      title: 'Call about the offer',
      description_rich: {
        type: 'prosemirror',
        json: {
          type: 'doc',
          content: [{ type: 'paragraph', content: [{ type: 'text', text: 'Ask for the delivery address' }] }],
        },
      },
      priority: 'high',
      type: 'call',
      due_at: '2026-12-01T09:00:00Z',
      targets: [{ object_kind: 'contact', object_id: exampleIds.contact }],
    },
  },
  handler: ({ body, caller, own, write }) =>
    write(creationOf(own, body), async ({ own: tx }, seen) => {
      const made = createTask(tx, actorOf(caller), body, seen);
      return new Afterwards(() => ({ status: 201, body: toTaskView(made.read()) }));
    }),
});

export const getOneTask = endpoint({
  ...aboutTask,
  method: 'get',
  path: '/v1/crm/tasks/:taskID',
  operationId: 'crm.tasks.get',
  scope: 'crm:read',
  summary: 'Get one task',
  responses: { 200: taskView },
  handler: async ({ params, own }) => ok(toTaskView(await getTask(own, params.taskID))),
});

export const patchOneTask = endpoint({
  ...aboutTask,
  method: 'patch',
  path: '/v1/crm/tasks/:taskID',
  operationId: 'crm.tasks.update',
  scope: 'crm:write',
  summary: 'Change a task',
  description:
    'What is not given stays; null empties. With `revision` it is changed only if nobody has changed it since: else a 409 names the present revision. Any status goes to any other: into `done` sets `completed_at`, out of it removes it. A task that is done, cancelled or in the bin does not remind.',
  body: Joi.object<TaskPatch>({
    ...taskPatchFields,
    revision: Joi.number().integer().min(1).description('The revision that you have read'),
  })
    .min(1)
    .oxor(...taskWords),
  responses: { 200: taskView },
  errors: [409],
  example: { body: { status: 'in_progress', due_at: '2026-12-02T09:00:00Z' } },
  handler: ({ params, body, caller, write }) =>
    changing({ params, caller, write }, (tx, id, actor) => patchTask(tx, id, actor, body)),
});

export const deleteOneTask = endpoint({
  ...aboutTask,
  method: 'delete',
  path: '/v1/crm/tasks/:taskID',
  operationId: 'crm.tasks.delete',
  scope: 'crm:write',
  summary: 'Put a task into the bin',
  description: 'It can be restored until the bin is emptied. Deleting it again is a 404.',
  responses: { 204: null },
  // The contract of this path names it.
  errors: [400],
  handler: ({ params, caller, write }) =>
    write(taskWrite(params.taskID), async ({ own }) => {
      await deleteTask(own, params.taskID, actorOf(caller));
      return { status: 204 };
    }),
});

export const completeOneTask = endpoint({
  ...aboutTask,
  method: 'post',
  path: '/v1/crm/tasks/:taskID/complete',
  operationId: 'crm.tasks.complete',
  scope: 'crm:write',
  summary: 'Complete a task',
  description: 'Idempotent.',
  responses: { 200: taskView },
  handler: (input) => changing(input, completeTask),
});

export const reopenOneTask = endpoint({
  ...aboutTask,
  method: 'post',
  path: '/v1/crm/tasks/:taskID/reopen',
  operationId: 'crm.tasks.reopen',
  scope: 'crm:write',
  summary: 'Reopen a task that is done or cancelled',
  description: 'Idempotent. It reminds again if its time is ahead.',
  responses: { 200: taskView },
  handler: (input) => changing(input, reopenTask),
});

export const restoreOneTask = endpoint({
  ...aboutTask,
  method: 'post',
  path: '/v1/crm/tasks/:taskID/restore',
  operationId: 'crm.tasks.restore',
  scope: 'crm:write',
  summary: 'Take a task out of the bin',
  description: 'Idempotent. It reminds again if its time is ahead.',
  responses: { 200: taskView },
  handler: (input) => changing(input, restoreTask),
});

export const getTaskHistory = endpoint({
  ...aboutTask,
  method: 'get',
  path: '/v1/crm/tasks/:taskID/history',
  operationId: 'crm.tasks.history',
  scope: 'crm:read',
  summary: 'List the changes of a task, newest first',
  query: historyQuery,
  responses: { 200: listOf(historyView) },
  async handler({ params, query, own }) {
    await getTask(own, params.taskID);
    return historyReply(own, params.taskID, query);
  },
});
