import { invalidField } from '../platform/errors.ts';
import { type GivenRichText, readRichText } from './rich-text/rich-text.ts';
import type { TaskPriority, TaskStatus, TaskType } from './task.entity.ts';
import type { TaskFields } from './task-tx.ts';

/** Words come as rich text or as plain `description`, never both. null empties. */
export type GivenTask = {
  title?: string;
  description?: string;
  description_rich?: GivenRichText | null;
  status?: TaskStatus;
  priority?: TaskPriority;
  type?: TaskType;
  assignee_id?: string | null;
  due_at?: string | null;
  remind_at?: string | null;
};

/**
 * What to write, of the fields that are given. `isMember` says it of a user's id. Throws 422 for a fault in the rich text, and for an assignee who is no
 * member.
 */
export async function readTaskFields(
  isMember: (userId: string) => Promise<boolean>,
  given: GivenTask,
): Promise<Partial<TaskFields>> {
  const { description, description_rich, ...plain } = given;
  if (given.assignee_id && !(await isMember(given.assignee_id)))
    throw invalidField('assignee_id', 'No member of the organization has this id', 'member.unknown');
  if (description !== undefined) return { ...plain, description, description_rich: null };
  if (description_rich === null) return { ...plain, description: '', description_rich: null };
  if (description_rich === undefined) return plain;
  const { stored, words } = await readRichText(description_rich);
  return { ...plain, description: words, description_rich: stored };
}
