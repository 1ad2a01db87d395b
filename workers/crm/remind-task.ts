import { remindTaskJob } from '../../src/tasks/jobs.ts';
import { remind, remindsInMs } from '../../src/tasks/reminders.ts';
import { taskLock } from '../../src/tasks/task-row.ts';
import { handle } from '../handler.ts';

export const remindTask = handle(remindTaskJob, async (payload, context) => {
  const { task_id } = payload;
  const leftMs = await remindsInMs(context.own, task_id, context.row.id);
  if (leftMs !== undefined && leftMs > 0)
    return context.wait(Math.ceil(leftMs), { reason: 'the clock of the process that set the time was ahead' });
  const looked = { look: async () => undefined, locks: () => [taskLock(task_id)] };
  // Whoever changed the time or the status meanwhile has ended this job: the write is then undone.
  return context.finishLooked(looked, ({ own }) => remind(own, payload, context.row.id));
});
