import type { Own } from '../platform/database/own.ts';
import { statement } from '../platform/database/statement.ts';
import type { RowOf } from '../platform/database/tables.ts';
import { notFound } from '../platform/errors.ts';
import { list, type Page } from '../platform/listing/paging.ts';
import type { ContactTx } from './contact-tx.ts';
import { ContactNote } from './note.entity.ts';
import { assertContact } from './queries.ts';

const columns = ['id', 'body', 'author', 'created_at', 'updated_at'] as const;
export type NoteRow = RowOf<typeof ContactNote, (typeof columns)[number]>;

const notes = list((select, { contactId }: { contactId: string }) =>
  select(ContactNote).select(columns).where('contact_id', '=', contactId),
);
const noteById = statement((select, { contactId, id }: { contactId: string; id: string }) =>
  select(ContactNote).select(columns).where('contact_id', '=', contactId).where('id', '=', id),
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
  const note = await findNote(tx, id);
  if (note.body === body) return note;
  note.body = body;
  await tx.flush();
  tx.changed('notes');
  return note;
}

export async function removeNote(tx: ContactTx, id: string): Promise<void> {
  tx.remove(await findNote(tx, id));
  tx.changed('notes');
}

async function findNote(tx: ContactTx, id: string) {
  const note = await tx.findOne(ContactNote, { contact_id: tx.contactId, id });
  if (!note) throw notFound('Note');
  return note;
}
