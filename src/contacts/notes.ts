import type { Em } from '../platform/database/database.ts';
import { query } from '../platform/database/query.ts';
import { notFound } from '../platform/errors.ts';
import { uuidv7 } from '../platform/ids.ts';
import type { Tx } from '../platform/ledger/tx.ts';
import { type Page, pageOfTable } from '../platform/listing/paging.ts';
import { emitUpdated } from './events.ts';
import { getContact, mustBeContact } from './queries.ts';

export type NoteRow = { id: string; body: string; author: string; created_at: string; updated_at: string };

const columns = 'id, body, author, created_at, updated_at';

/** Throws 404 when the contact is nobody's. */
export async function listNotes(em: Em, organizationId: string, contactId: string, page: Page) {
  await mustBeContact(em, organizationId, contactId);
  return pageOfTable<NoteRow>(
    em,
    `select ${columns} from contact_notes where organization_id = $1 and contact_id = $2`,
    [organizationId, contactId],
    page,
  );
}

/** Throws 404. */
export async function readNote(em: Em, organizationId: string, contactId: string, id: string): Promise<NoteRow> {
  await mustBeContact(em, organizationId, contactId);
  return findNote(em, organizationId, contactId, id);
}

/** `author` as `actorOf` names him. The contact's lock is held, here and below. Throws 404. */
export async function addNote(tx: Tx, organizationId: string, contactId: string, body: string, author: string): Promise<NoteRow> {
  const contact = await getContact(tx.em, organizationId, contactId);
  const [note] = await tx.query<NoteRow>(
    `insert into contact_notes (id, organization_id, contact_id, body, author) values ($1, $2, $3, $4, $5) returning ${columns}`,
    [uuidv7(), organizationId, contactId, body, author],
  );
  emitUpdated(tx, organizationId, contact, ['notes']);
  return note!;
}

/** Its author stays who wrote it first. Throws 404. */
export async function changeNote(tx: Tx, organizationId: string, contactId: string, id: string, body: string): Promise<NoteRow> {
  const contact = await getContact(tx.em, organizationId, contactId);
  const note = await findNote(tx.em, organizationId, contactId, id);
  if (note.body === body) return note;
  const [changed] = await tx.query<NoteRow>(
    `update contact_notes set body = $4, updated_at = clock_timestamp() where organization_id = $1 and contact_id = $2 and id = $3 returning ${columns}`,
    [organizationId, contactId, id, body],
  );
  emitUpdated(tx, organizationId, contact, ['notes']);
  return changed!;
}

/** Throws 404. */
export async function removeNote(tx: Tx, organizationId: string, contactId: string, id: string): Promise<void> {
  const contact = await getContact(tx.em, organizationId, contactId);
  await findNote(tx.em, organizationId, contactId, id);
  await tx.query('delete from contact_notes where organization_id = $1 and contact_id = $2 and id = $3', [
    organizationId,
    contactId,
    id,
  ]);
  emitUpdated(tx, organizationId, contact, ['notes']);
}

async function findNote(em: Em, organizationId: string, contactId: string, id: string): Promise<NoteRow> {
  const [note] = await query<NoteRow>(
    em,
    `select ${columns} from contact_notes where organization_id = $1 and contact_id = $2 and id = $3`,
    [organizationId, contactId, id],
  );
  if (!note) throw notFound('Note');
  return note;
}
