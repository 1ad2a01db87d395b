import { now } from '../platform/database/columns.ts';
import type { Own, Select } from '../platform/database/own.ts';
import { statement } from '../platform/database/statement.ts';
import { AppError, notFound } from '../platform/errors.ts';
import type { PartText } from '../platform/ledger/part.ts';
import type { OwnTx } from '../platform/ledger/tx.ts';
import { list, type Page } from '../platform/listing/paging.ts';
import { Contact } from './contact.entity.ts';
import type { ContactTx } from './contact-tx.ts';
import { contactLock, emitUpdated } from './events.ts';
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

/** A tag of the catalogue that the contact does not have, and has room for. */
export type FreeTag = { contactId: string; contactName: string; id: string; name: string };

/** SQL: two rows that have nothing in common, and a count. */
const freeStatement = `
  select t.id, t.name, c.name as contact_name
    from tags t, contacts c
   where t.organization_id = $1
     and fold(t.name) = fold($3)
     and c.organization_id = $1
     and c.id = $2
     and (select count(*) from contact_tags a where a.organization_id = $1 and a.contact_id = $2) < ${maxTagsOfContact}
     and not exists (select 1 from contact_tags a where a.organization_id = $1 and a.contact_id = $2 and a.tag_id = t.id)`;

/** Undefined: what `assignTag` does about it is more than to assign it. */
export async function findFreeTag(own: Own, contactId: string, name: string): Promise<FreeTag | undefined> {
  const [row] = await own.sql<{ id: string; name: string; contact_name: string }>(freeStatement, [contactId, name]);
  return row && { contactId, contactName: row.contact_name, id: row.id, name: row.name };
}

/** SQL: a part that changes two tables, and asserts what was seen. */
const assignFree: PartText = (organization, contactId, contactName, tagId, tagName) => `
  assigned as (
    insert into contact_tags (organization_id, contact_id, tag_id)
    select ${organization}::uuid, c.id, t.id
      from contacts c, tags t
     where c.organization_id = ${organization}
       and c.id = ${contactId}
       and c.name = ${contactName}
       and t.organization_id = ${organization}
       and t.id = ${tagId}
       and t.name = ${tagName}
       and (select count(*)
              from contact_tags a
             where a.organization_id = ${organization} and a.contact_id = ${contactId}) < ${maxTagsOfContact}
    on conflict do nothing
    returning contact_id),
  touched as (
    update contacts
       set updated_at = clock_timestamp()
     where organization_id = ${organization}
       and id = (select contact_id from assigned))`;
const isAssigned: PartText = () => 'exists (select 1 from assigned)';

/** As `assignTag`, without a question. Needs the contact's lock. LocksOutdated: it is no longer free, or has another name. */
export function assignFreeTag(tx: OwnTx, { contactId, contactName, id, name }: FreeTag): void {
  tx.assertLocked(contactLock(contactId));
  const params = [tx.organizationId, contactId, contactName, id, name];
  tx.include({ text: assignFree, params, assertion: isAssigned });
  emitUpdated(tx, { id: contactId, name: contactName }, ['tags']);
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
