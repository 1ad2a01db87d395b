import Joi from 'joi';
import { uuid } from '../platform/ids.ts';
import { backoff, job } from '../platform/ledger/job.ts';
import { type ReminderPayload, remind, remindOfTask } from './reminders.ts';

/** One row for each task with `reminder_job_id`, without a lane: a change of the time ends the old row and writes the new one at once. */
export const remindTaskJob = job<ReminderPayload>({
  ...remindOfTask,
  queue: 'default',
  payload: Joi.object({
    task_id: uuid,
    origin: Joi.string()
      .pattern(/^\{"by":"[^"]+".*\}$/)
      .allow('')
      .default(''),
  }),
  delayMs: backoff(6),
  // Reminded once too early is seen; never reminded is not.
  async failed({ own }, payload) {
    await own.lockFound('task', payload.task_id);
    await remind(own, payload);
  },
  revived: async () => {},
  // SQL: a part of the statement of `jobs check`.
  openSubjects: `
    select organization_id, id
      from crm_tasks
     where reminder_job_id is not null`,
});
