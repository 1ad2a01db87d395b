import { now } from '../platform/database/columns.ts';
import type { Own, Select } from '../platform/database/own.ts';
import { statement } from '../platform/database/statement.ts';
import { AppError, notFound } from '../platform/errors.ts';
import { list, type Page } from '../platform/listing/paging.ts';
import { Contact } from './contact.entity.ts';
import type { ContactTx } from './contact-tx.ts';
import { assertContact } from './queries.ts';
import { ContactTag, Tag } from './tag.entity.ts';
import { ensureTag, type TagRow } from './tag-catalogue.ts';

export const maxTagsOfContact = 100;

const tagsOf = (select: Select, { contactId }: { contactId: string }) =>
  select(ContactTag, Tag)
    .innerJoin('tags', 'tags.id', 'contact_tags.tag_id')
    .select(['tags.id', 'tags.name', 'contact_tags.created_at'])
    .where('contact_tags.contact_id', '=', contactId);

const assignedTags = list(tagsOf, { createdAt: 'contact_tags.created_at', id: 'tags.id' });
const assignedTag = statement((select, params: { contactId: string; tagId: string }) =>
  tagsOf(select, params).where('tags.id', '=', params.tagId),
);
const countTags = statement((select, { contactId }: { contactId: string }) =>
  select(ContactTag)
    .select(({ fn }) => fn.countAll<string>().as('total'))
    .where('contact_id', '=', contactId),
);

export async function listTagsOf(own: Own, contactId: string, page: Page) {
  await assertContact(own, contactId);
  return assignedTags(own, { contactId }, page);
}

/** A new name also becomes a tag of the catalogue. Throws 422 at the limits. */
export async function assignTag(tx: ContactTx, name: string): Promise<{ row: TagRow; isNew: boolean }> {
  const { contactId } = tx;
  const { row: tag } = await ensureTag(tx, name);
  const [known] = await assignedTag(tx, { contactId, tagId: tag.id });
  if (known) return { row: known, isNew: false };
  const [count] = await countTags(tx, { contactId });
  if (Number(count!.total) >= maxTagsOfContact)
    throw new AppError('limit_reached', `A contact has at most ${maxTagsOfContact} tags`);
  const assigned = tx.create(ContactTag, { contact_id: contactId, tag_id: tag.id });
  await tx.flush();
  await tagsChanged(tx);
  return { row: { ...tag, created_at: assigned.created_at }, isNew: true };
}

/** The tag stays in the catalogue. Throws 404 when the contact does not have it. */
export async function unassignTag(tx: ContactTx, tagId: string): Promise<void> {
  const removed = await tx.delete(ContactTag, { contact_id: tx.contactId, tag_id: tagId });
  if (removed === 0) throw notFound('Tag');
  await tagsChanged(tx);
}

/** A contact shows its tags, so they change it too. */
async function tagsChanged(tx: ContactTx) {
  await tx.update(Contact, { id: tx.contactId }, { updated_at: now() });
  tx.changed('tags');
}
