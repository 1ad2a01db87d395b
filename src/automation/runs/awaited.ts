import type { Conversation } from '../../messaging/conversation.entity.ts';
import type { Own } from '../../platform/database/own.ts';
import type { RowOf } from '../../platform/database/tables.ts';
import { catalogue } from '../../platform/events/catalogue.ts';
import type { Subject } from './batch.ts';
import type { RunNow } from './run-now.ts';

const maxConversations = 50;
/** SQL: the newest of a person, by index. */
const conversationsStatement = `
  select id
    from conversations
   where organization_id = $1
     and contact_id = $2
   order by id desc
   limit ${maxConversations}`;

/**
 * Events about which subjects a run hears of: what it is about itself, else its person, and the conversations with that person. Of a task what the run is
 * about, too, which the task may be about.
 */
export async function awaitedSubjects(own: Own, run: RunNow, eventType: string): Promise<Subject[]> {
  const subject = { type: run.subject_type as string, id: run.subject_id };
  const about = catalogue.find(({ type }) => type === eventType)?.subject.type;
  const contactId = run.contact_id ?? (run.subject_type === 'contact' ? run.subject_id : null);
  if (about === run.subject_type || contactId === null) return [subject];
  const person = { type: 'contact', id: contactId };
  if (about === 'task') return subject.id === contactId ? [person] : [subject, person];
  if (about !== 'conversation') return [person];
  const rows = await own.sql<RowOf<typeof Conversation, 'id'>>(conversationsStatement, [contactId]);
  return [person, ...rows.map(({ id }) => ({ type: 'conversation', id }))];
}
