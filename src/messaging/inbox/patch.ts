import { isDeepStrictEqual } from 'node:util';
import { mergedCustom } from '../../contacts/fields.ts';
import { holdMember } from '../../organizations/members.ts';
import { now } from '../../platform/database/columns.ts';
import { invalidField } from '../../platform/errors.ts';
import { conversationLane } from '../../platform/ledger/locks.ts';
import type { OwnTx, TenantTx } from '../../platform/ledger/tx.ts';
import { Conversation, type Priority } from '../conversation.entity.ts';
import { type ConversationRow, emitChanged, getConversation } from './conversation-row.ts';
import { moveWake, type SleepPatch, sleepAfter } from './snooze.ts';
import { setTags } from './tags.ts';

/** What is not given stays. A null in `custom_fields` removes the field. */
export type ConversationPatch = SleepPatch & {
  assignee_id?: string | null;
  priority?: Priority;
  tags?: string[];
  custom_fields?: Record<string, unknown>;
};

const columns = ['status', 'snoozed_until', 'assignee_id', 'priority', 'custom_fields'] as const;

/** Needs the conversation's lane. Throws 404; 422 for a foreign assignee, a time that is not ahead, or too many custom fields. */
export async function patchConversation(tx: TenantTx, id: string, patch: ConversationPatch): Promise<ConversationRow> {
  const { own } = tx;
  own.assertLocked(conversationLane(id));
  const before = await getConversation(own, id);
  const after = {
    ...sleepAfter(before, patch),
    assignee_id: patch.assignee_id === undefined ? before.assignee_id : patch.assignee_id,
    priority: patch.priority ?? before.priority,
    custom_fields: patch.custom_fields ? mergedCustom(before.custom_fields, patch.custom_fields) : before.custom_fields,
  };
  const written = columns.filter((name) => !isDeepStrictEqual(before[name], after[name]));
  const changed: string[] = [...written];
  // The tags first: their catalogue's lock comes before any row's.
  const hasNewTags = patch.tags !== undefined && (await setTags(own, id, patch.tags));
  if (hasNewTags) changed.push('tags');
  if (changed.length === 0) return before;
  if (after.assignee_id && after.assignee_id !== before.assignee_id) await assertMember(own, after.assignee_id);
  // The others may have changed meanwhile: a member who leaves is unassigned without the lane.
  const values = Object.fromEntries(written.map((name) => [name, after[name]]));
  await own.update(Conversation, { id }, { ...values, updated_at: now() });
  moveWake(tx, id, before, after);
  emitChanged(own, { id, status: after.status }, changed);
  return getConversation(own, id);
}

async function assertMember(tx: OwnTx, userId: string) {
  if (!(await holdMember(tx, userId)))
    throw invalidField('assignee_id', 'No member of the organization has this id', 'member.unknown');
}
