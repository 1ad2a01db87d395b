import Joi from 'joi';
import { sql } from 'kysely';
import type { Own } from '../platform/database/own.ts';
import { statement } from '../platform/database/statement.ts';
import type { RowOf } from '../platform/database/tables.ts';
import { notFound } from '../platform/errors.ts';
import { list, type Page } from '../platform/listing/paging.ts';
import type { ContactTx } from './contact-tx.ts';
import { ContactNote } from './note.entity.ts';
import { assertContact } from './queries.ts';

/** Of a contact, and of a conversation. */
export const noteText = Joi.string().min(1).max(10_000).description('Taken as sent');

const columns = ['id', 'body', 'author', 'created_at', 'updated_at'] as const;
export type NoteRow = RowOf<typeof ContactNote, (typeof columns)[number]>;

const notes = list((select, { contactId }: { contactId: string }) =>
  select(ContactNote).select(columns).where('contact_id', '=', contactId),
);
const noteById = statement((select, { contactId, id }: { contactId: string; id: string }) =>
  select(ContactNote).select(columns).where('contact_id', '=', contactId).where('id', '=', id),
);

const noteChange = statement((_select, { id, body }: { id: string; body: string }, update) =>
  update(ContactNote).set({ body, updated_at: sql<string>`clock_timestamp()` }).where('id', '=', id).returning(columns),
);

export async function listNotes(own: Own, contactId: string, page: Page) {
  await assertContact(own, contactId);
  return notes(own, { contactId }, page);
}

export async function readNote(own: Own, contactId: string, id: string): Promise<NoteRow> {
  await assertContact(own, contactId);
  const [note] = await noteById(own, { contactId, id });
  if (!note) throw notFound('Note');
  return note;
}

export async function addNote(tx: ContactTx, body: string, author: string): Promise<NoteRow> {
  const note = tx.create(ContactNote, { contact_id: tx.contactId, body, author });
  // Loads the database's timestamps for the reply.
  await tx.flush();
  tx.changed('notes');
  return note;
}

/** The first author stays. Throws 404. */
export async function changeNote(tx: ContactTx, id: string, body: string): Promise<NoteRow> {
  const { contactId } = tx;
  const [note] = await noteById(tx, { contactId, id });
  if (!note) throw notFound('Note');
  if (note.body === body) return note;
  const [changed] = await noteChange(tx, { id, body });
  tx.changed('notes');
  return changed!;
}

export async function removeNote(tx: ContactTx, id: string): Promise<void> {
  const note = await tx.findOne(ContactNote, { contact_id: tx.contactId, id });
  if (!note) throw notFound('Note');
  tx.remove(note);
  tx.changed('notes');
}
