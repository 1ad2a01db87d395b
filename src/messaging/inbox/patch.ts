import { isDeepStrictEqual } from 'node:util';
import { mergedCustom } from '../../contacts/fields.ts';
import { holdMember } from '../../organizations/members.ts';
import { now } from '../../platform/database/columns.ts';
import type { Own } from '../../platform/database/own.ts';
import type { RowOf } from '../../platform/database/tables.ts';
import { invalidField } from '../../platform/errors.ts';
import { conversationLane } from '../../platform/ledger/locks.ts';
import type { OwnTx, TenantTx } from '../../platform/ledger/tx.ts';
import { Conversation, type Priority } from '../conversation.entity.ts';
import { type ConversationRow, emitChanged, getConversation, lastActivity } from './conversation-row.ts';
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
  // The others may have changed meanwhile: of a member who leaves with many, they are unassigned without the lane.
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

/** Of a member who leaves, in one transaction: it holds the lane of each. */
const maxAtOnce = 100;

/** SQL: by the index of assignees. */
const assignedTo = `
  select k.id
    from conversations k
   where k.organization_id = $1 and k.assignee_id = $2
   order by ${lastActivity}, k.id
   limit ${maxAtOnce + 1}`;

/** Of a member who leaves; none where there are more than one transaction changes one by one. */
export async function conversationsToRelease(own: Own, userId: string): Promise<string[]> {
  const found = await own.sql<RowOf<typeof Conversation, 'id'>>(assignedTo, [userId]);
  return found.length > maxAtOnce ? [] : found.map(({ id }) => id);
}

/** SQL: a set; of many without their lanes. */
const unassign = `
  update conversations
     set assignee_id = null, updated_at = clock_timestamp()
   where organization_id = $1 and assignee_id = $2
  returning id, status`;

/**
 * A member who leaves is the assignee of nothing: each of up to `maxAtOnce` conversations has its event, of more none has. Needs the lanes of
 * `conversationsToRelease` and the membership.
 */
export async function releaseConversations(tx: OwnTx, userId: string): Promise<void> {
  const told = new Set(await conversationsToRelease(tx, userId));
  for (const id of told) tx.assertLocked(conversationLane(id));
  const released = await tx.sql<RowOf<typeof Conversation, 'id' | 'status'>>(unassign, [userId]);
  for (const one of released) if (told.has(one.id)) emitChanged(tx, one, ['assignee_id']);
}
