import type { Own } from '../../platform/database/own.ts';
import type { SubjectType } from '../definition/definition.ts';
import { type EventRow, idIn } from './event-row.ts';

export type Subject = { subjectType: SubjectType; subjectId: string; contactId: string | null };
export type SubjectEvent = Pick<EventRow, 'id' | 'type' | 'subject_type' | 'subject_id' | 'data'>;

/* SQL: each is one row, with a choice among rows of a second table. */

/** Whom a merged contact became; null: erased. */
const contact = `
  select coalesce(
           (select id from contacts where organization_id = $1 and id = $2),
           (select contact_id from contact_merges where organization_id = $1 and merged_id = $2)) as contact_id`;
/** One that a merge ended is the one that its message, $3, is in by now. */
const ofConversation = `
  select id, contact_id
    from conversations
   where organization_id = $1
     and id = coalesce(
           (select id from conversations where organization_id = $1 and id = $2),
           (select conversation_id from messages where organization_id = $1 and id = $3))`;
const ofDeal = `
  select contact_id
    from deal_contacts
   where organization_id = $1
     and deal_id = $2
     and is_primary`;
const ofTask = `
  select contact_id
    from task_targets
   where organization_id = $1
     and task_id = $2
     and contact_id is not null
   order by id
   limit 1`;
/** Commerce stands beside automation. */
const ofOrder = `
  select contact_id
    from orders
   where organization_id = $1
     and id = $2`;

const contactBy: Record<string, string | null> = {
  contact,
  conversation: ofConversation,
  deal: ofDeal,
  task: ofTask,
  order: ofOrder,
  record: null,
};

const ownSubjects: readonly string[] = ['conversation', 'deal', 'task', 'record'] satisfies SubjectType[];

/**
 * What a run that the event begins is about, and the person behind it. What rules do not act upon, such as a campaign, stands for itself, by the
 * name of the event's subject; an order stands for its contact. A contact that was merged is the survivor, and so is the conversation of a message.
 */
export async function subjectOf(own: Own, event: SubjectEvent): Promise<Subject> {
  const { subject_type: type, subject_id: id } = event;
  const text = contactBy[type];
  const params = type === 'conversation' ? [id, idIn(event, 'message_id') ?? null] : [id];
  const [row] = text ? await own.sql<{ id?: string; contact_id: string | null }>(text, params) : [];
  const contactId = row?.contact_id ?? null;
  if (ownSubjects.includes(type)) return { subjectType: type as SubjectType, subjectId: row?.id ?? id, contactId };
  if (contactId !== null) return { subjectType: 'contact', subjectId: contactId, contactId };
  return { subjectType: type as SubjectType, subjectId: id, contactId: null };
}
