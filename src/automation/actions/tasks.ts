import Joi from 'joi';
import type { Own } from '../../platform/database/own.ts';
import { taskCompleted, taskCreated } from '../../platform/events/crm-events.ts';
import { id, uuidv7 } from '../../platform/ids.ts';
import { now } from '../../platform/time/clock.ts';
import { patchTask } from '../../tasks/change.ts';
import { createTask, lookAround, type NewTask } from '../../tasks/create.ts';
import type { GivenTask } from '../../tasks/fields.ts';
import { newTaskFields, taskPatchFields, taskWords } from '../../tasks/schemas.ts';
import type { TargetRef } from '../../tasks/targets.ts';
import type { TaskType } from '../../tasks/task.entity.ts';
import { getTask, taskWrite } from '../../tasks/task-row.ts';
import type { Duration } from '../definition/definition.ts';
import { anyContactOf, idOf } from './about.ts';
import { databaseAction, type Noted, type StepContext } from './action.ts';
import { memberFaults } from './faults.ts';

/** `type` is the step's own word. */
type Renamed = { task_type?: TaskType; due_in?: Duration };
type NewFields = Omit<NewTask, 'type'> & Renamed;
type PatchFields = Omit<GivenTask, 'type'> & Renamed & { task_id?: string };

const part = (max: number) => Joi.number().integer().min(0).max(max);
const dueIn = Joi.object<Duration>({ days: part(3_650), hours: part(87_600), minutes: part(5_256_000) })
  .min(1)
  .description('In place of `due_at`: so long after the step');

const { type: newType, ...newRest } = newTaskFields;
const { type: patchType, ...patchRest } = taskPatchFields;

const secondsOf = ({ days = 0, hours = 0, minutes = 0 }: Duration) => ((days * 24 + hours) * 60 + minutes) * 60;

const given = <Fields extends Renamed>({ task_type, due_in, ...rest }: Fields) => ({
  ...rest,
  ...(task_type && { type: task_type }),
  ...(due_in && { due_at: new Date(now() + secondsOf(due_in) * 1_000).toISOString() }),
});

/** The run's subject and its contact. */
async function usualTargets(context: StepContext): Promise<TargetRef[]> {
  const { subject_type, subject_id, record_kind } = context.run;
  const contactId = await anyContactOf(context);
  const kind = subject_type === 'record' ? record_kind : subject_type;
  const isTarget = kind && !['contact', 'task', 'organization'].includes(kind);
  return [
    ...(contactId ? [{ object_kind: 'contact', object_id: contactId }] : []),
    ...(isTarget ? [{ object_kind: kind, object_id: subject_id }] : []),
  ];
}

const check = (own: Own, { assignee_id }: { assignee_id?: string | null }) => memberFaults(own, { assignee_id });

export const createTaskAction = databaseAction<NewFields>({
  type: 'create_task',
  description:
    'Creates a task. Without `targets` it is about the contact and the subject of the run; an empty list: about nothing.',
  scopes: ['crm:write'],
  fields: Joi.object<NewFields>({ ...newRest, task_type: newType, due_in: dueIn })
    .oxor(...taskWords)
    .oxor('due_at', 'due_in'),
  example: { title: 'Call {{ contact.name }}', task_type: 'call', priority: 'high', due_in: { days: 1 } },
  check,
  tells: [taskCreated.type, taskCompleted.type],
  async prepare(context, fields) {
    const task = { ...given(fields), targets: fields.targets ?? (await usualTargets(context)) };
    const seen = await lookAround(context.own, task);
    const noted: Noted = ({ own }) => {
      const task_id = uuidv7();
      createTask(own, context.actor, task, seen, task_id);
      return { task_id, revision: 1 };
    };
    return { locks: [], noted, write: async (tx) => noted(tx) };
  },
});

export const updateTask = databaseAction<PatchFields>({
  type: 'update_task',
  description: 'Changes a task: what is not given stays, null empties. The status `done` completes it.',
  scopes: ['crm:write'],
  fields: Joi.object<PatchFields>({
    task_id: id.description("Default: the run's task"),
    ...patchRest,
    task_type: patchType,
    due_in: dueIn,
  })
    .or(...Object.keys(patchRest), 'task_type', 'due_in')
    .oxor(...taskWords)
    .oxor('due_at', 'due_in'),
  example: { task_id: '{{ steps.task.task_id }}', status: 'done' },
  check,
  async prepare(context, { task_id, ...fields }) {
    const taskId = idOf(context, 'task', task_id);
    return {
      locks: taskWrite(taskId).locks,
      async write({ own }) {
        const { revision: before } = await getTask(own, taskId);
        const { revision, status } = await patchTask(own, taskId, context.actor, given(fields));
        return { task_id: taskId, status, revision, is_changed: revision > before };
      },
    };
  },
});
