import { contactLock } from '../../src/contacts/events.ts';
import { actorOf } from '../../src/organizations/caller.ts';
import { exampleIds } from '../../src/platform/examples.ts';
import { targetBody } from '../../src/tasks/schemas.ts';
import { linkTarget, maxTargets, unlinkTarget } from '../../src/tasks/targets.ts';
import { taskWrite } from '../../src/tasks/task-row.ts';
import { endpoint } from '../http/endpoint.ts';
import { aboutTask, tag, targetView, toTargetView } from './task-schemas.ts';

export const createTaskTarget = endpoint({
  ...aboutTask,
  method: 'post',
  path: '/v1/crm/tasks/:taskID/targets',
  operationId: 'crm.tasks.targets.create',
  scope: 'crm:write',
  summary: 'Say what a task is about',
  description: `201 when it is new, 200 when the task was about it already. A task has at most ${maxTargets} targets.`,
  isIdempotent: true,
  body: targetBody,
  responses: { 200: targetView, 201: targetView },
  example: { body: { object_kind: 'conversation', object_id: exampleIds.conversation } },
  handler: ({ params, body, caller, write }) =>
    write(taskWrite(params.taskID, body.object_kind === 'contact' ? [contactLock(body.object_id)] : []), async ({ own }) => {
      const { target, isNew } = await linkTarget(own, params.taskID, actorOf(caller), body);
      return { status: isNew ? 201 : 200, body: toTargetView(target) };
    }),
});

export const deleteTaskTarget = endpoint({
  tag,
  subject: 'Target',
  method: 'delete',
  path: '/v1/crm/tasks/:taskID/targets/:targetID',
  operationId: 'crm.tasks.targets.delete',
  scope: 'crm:write',
  summary: 'Take a target from a task',
  description: 'By the id of the target, not of the object.',
  responses: { 204: null },
  handler: ({ params, caller, write }) =>
    write(taskWrite(params.taskID), async ({ own }) => {
      await unlinkTarget(own, params.taskID, actorOf(caller), params.targetID);
      return { status: 204 };
    }),
});
