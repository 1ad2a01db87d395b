import { sql } from 'kysely';
import type { Own } from '../../platform/database/own.ts';
import { statement } from '../../platform/database/statement.ts';
import type { RowOf } from '../../platform/database/tables.ts';
import { notFound } from '../../platform/errors.ts';
import { conversationLane } from '../../platform/ledger/locks.ts';
import type { OwnTx } from '../../platform/ledger/tx.ts';
import { list, type Page } from '../../platform/listing/paging.ts';
import { ConversationNote } from '../conversation.entity.ts';
import { emitChanged, findBrief } from './conversation-row.ts';

const columns = ['id', 'body', 'author', 'created_at', 'updated_at'] as const;
type Note = RowOf<typeof ConversationNote, (typeof columns)[number]>;
/** `contact_id`: whom it is about, for an erasure. */
export type ConversationNoteRow = Note & { conversation_id: string; contact_id: string | null };

type Place = { conversationId: string; id: string };

const notes = list((select, { conversationId }: { conversationId: string }) =>
  select(ConversationNote).select(columns).where('conversation_id', '=', conversationId),
);
const noteById = statement((select, { conversationId, id }: Place) =>
  select(ConversationNote).select(columns).where('conversation_id', '=', conversationId).where('id', '=', id),
);
const noteChange = statement((_select, { id, body }: { id: string; body: string }, update) =>
  update(ConversationNote).set({ body, updated_at: sql<string>`clock_timestamp()` }).where('id', '=', id).returning(columns),
);

export async function listConversationNotes(own: Own, conversationId: string, page: Page) {
  const { id: conversation_id, contact_id } = await findBrief(own, conversationId);
  const { rows, total } = await notes(own, { conversationId }, page);
  return { rows: rows.map((row): ConversationNoteRow => ({ ...row, conversation_id, contact_id })), total };
}

export async function readConversationNote(own: Own, { conversationId, id }: Place): Promise<ConversationNoteRow> {
  const { id: conversation_id, contact_id } = await findBrief(own, conversationId);
  const [note] = await noteById(own, { conversationId, id });
  if (!note) throw notFound('Note');
  return { ...note, conversation_id, contact_id };
}

/** As all below, needs the conversation's lane and throws 404. */
export async function addConversationNote(
  tx: OwnTx,
  conversationId: string,
  body: string,
  author: string,
): Promise<ConversationNoteRow> {
  const conversation = await changedConversation(tx, conversationId);
  const { id: conversation_id, contact_id } = conversation;
  const note = tx.create(ConversationNote, { conversation_id, body, author });
  // Loads the database's timestamps for the reply.
  await tx.flush();
  emitChanged(tx, conversation, ['notes']);
  return { ...note, contact_id };
}

/** The first author stays. */
export async function changeConversationNote(tx: OwnTx, place: Place, body: string): Promise<ConversationNoteRow> {
  const conversation = await changedConversation(tx, place.conversationId);
  const note = await readConversationNote(tx, place);
  if (note.body === body) return note;
  const [changed] = await noteChange(tx, { id: place.id, body });
  emitChanged(tx, conversation, ['notes']);
  return { ...note, ...changed! };
}

export async function removeConversationNote(tx: OwnTx, { conversationId, id }: Place): Promise<void> {
  const conversation = await changedConversation(tx, conversationId);
  const removed = await tx.delete(ConversationNote, { conversation_id: conversationId, id });
  if (removed === 0) throw notFound('Note');
  emitChanged(tx, conversation, ['notes']);
}

function changedConversation(tx: OwnTx, id: string) {
  tx.assertLocked(conversationLane(id));
  return findBrief(tx, id);
}
