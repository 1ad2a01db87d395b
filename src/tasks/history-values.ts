import { momentMs } from '../platform/time/moment.ts';
import type { WholeTask } from './task-row.ts';

const times = ['due_at', 'remind_at', 'completed_at', 'deleted_at'];

type Shown = Pick<WholeTask, 'description' | 'description_rich'>;

/** A field as the API shows it. */
export function shownValue<Task extends Shown>(name: keyof Task & string, task: Task): unknown {
  const value = task[name] ?? null;
  if (value === null) return null;
  if (name === 'description_rich') return { ...task.description_rich, plain_text: task.description };
  return times.includes(name) ? new Date(momentMs(value as string)).toISOString() : value;
}
