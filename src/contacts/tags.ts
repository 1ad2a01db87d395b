import type { Em } from '../platform/database/database.ts';
import { ownRows } from '../platform/database/own.ts';
import { query } from '../platform/database/query.ts';
import { AppError, notFound } from '../platform/errors.ts';
import type { Tx } from '../platform/ledger/tx.ts';
import { type Page, pageOfTable } from '../platform/listing/paging.ts';
import { emitUpdated } from './events.ts';
import { assertContact, getContact } from './queries.ts';
import { ensureTag, type TagRow } from './tag-catalogue.ts';

export const mostTagsOfContact = 100;

/** Those a contact has, the last assigned first. Throws 404 when the contact is nobody's. */
export async function listTagsOf(em: Em, organizationId: string, contactId: string, page: Page) {
  await assertContact(ownRows(em, organizationId), contactId);
  return pageOfTable<TagRow>(
    em,
    `select t.id, t.name, a.created_at from contact_tags a join tags t on t.organization_id = a.organization_id and t.id = a.tag_id
      where a.organization_id = $1 and a.contact_id = $2`,
    [organizationId, contactId],
    page,
  );
}

/** A name nobody used before becomes a tag of the catalogue. The contact's lock is held, here and below. Throws 404, 422 at the limits. */
export async function assignTag(
  tx: Tx,
  organizationId: string,
  contactId: string,
  name: string,
): Promise<{ row: TagRow; isNew: boolean }> {
  const contact = await getContact(tx.of(organizationId), contactId);
  const { row: tag } = await ensureTag(tx, organizationId, name);
  const [assigned] = await tx.query<{ created_at: string }>(
    'insert into contact_tags (organization_id, contact_id, tag_id) values ($1, $2, $3) on conflict on constraint contact_tags_pkey do nothing returning created_at',
    [organizationId, contactId, tag.id],
  );
  if (!assigned) return { row: await assignedTag(tx.em, organizationId, contactId, tag.id), isNew: false };
  // The lock makes the count exact.
  const [count] = await tx.query<{ total: number }>(
    'select count(*)::int as total from contact_tags where organization_id = $1 and contact_id = $2',
    [organizationId, contactId],
  );
  if (count!.total > mostTagsOfContact) throw new AppError('limit_reached', `A contact has at most ${mostTagsOfContact} tags`);
  await changed(tx, organizationId, contact);
  return { row: { ...tag, created_at: assigned.created_at }, isNew: true };
}

/** The tag stays in the catalogue. Throws 404 when the contact does not have it. */
export async function unassignTag(tx: Tx, organizationId: string, contactId: string, tagId: string): Promise<void> {
  const contact = await getContact(tx.of(organizationId), contactId);
  const gone = await tx.query(
    'delete from contact_tags where organization_id = $1 and contact_id = $2 and tag_id = $3 returning tag_id',
    [organizationId, contactId, tagId],
  );
  if (gone.length === 0) throw notFound('Tag');
  await changed(tx, organizationId, contact);
}

async function assignedTag(em: Em, organizationId: string, contactId: string, tagId: string): Promise<TagRow> {
  const [row] = await query<TagRow>(
    em,
    `select t.id, t.name, a.created_at from contact_tags a join tags t on t.organization_id = a.organization_id and t.id = a.tag_id
      where a.organization_id = $1 and a.contact_id = $2 and a.tag_id = $3`,
    [organizationId, contactId, tagId],
  );
  return row!;
}

/** A contact shows its tags, so that it is another one now. */
async function changed(tx: Tx, organizationId: string, contact: { id: string; name: string }) {
  await tx.query('update contacts set updated_at = clock_timestamp() where organization_id = $1 and id = $2', [
    organizationId,
    contact.id,
  ]);
  emitUpdated(tx, organizationId, contact, ['tags']);
}
