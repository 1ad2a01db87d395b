import { MediaAsset } from '../media/asset.entity.ts';
import { IdempotencyKey } from '../platform/idempotency/idempotency-key.entity.ts';
import { ContactBlock } from './blocking/block.entity.ts';
import { ContactIdentity } from './contact.entity.ts';
import { ContactDuplicate, ContactMerge } from './merging/merge.entity.ts';
import { mergeConsents, mergeSuppressions } from './merging/merge-permission.ts';
import type { MergeTx } from './merging/merge-tx.ts';
import { ContactNote } from './note.entity.ts';
import { ContactConsent, ContactPermissionChange, ContactSuppression } from './permission/permission.entity.ts';
import { ContactTag } from './tag.entity.ts';

/** Every reference to a contact. A test compares the list with the foreign keys in the catalogue. */
export type ContactReference = {
  table: string;
  column: string;
  /** Runs in this order; returns how many rows the survivor gained. Rows left behind are deleted, or prevent the deletion. */
  merge(tx: MergeTx): Promise<number>;
  /** The database does `cascade` and `set null`; erase.ts does the rest. */
  erase: 'cascade' | 'set null' | 'withdraw';
  /** The field in `contact.updated` when the survivor gained rows. */
  field?: string;
};

/** SQL: leaves behind a tag that the survivor has already. */
const moveTags = `
  update contact_tags o
     set contact_id = $2
   where o.organization_id = $1
     and o.contact_id = $3
     and not exists (
       select 1
         from contact_tags s
        where s.organization_id = $1 and s.contact_id = $2 and s.tag_id = o.tag_id)
  returning o.tag_id`;

/** SQL: replaces the merged contact in its pairs with third contacts, in the order of ids and once. */
const rePairContact = `
  insert into contact_duplicates (id, organization_id, contact_id, other_id, reason, created_at)
  select uuidv7(), $1::uuid, least($2::uuid, d.other_id), greatest($2::uuid, d.other_id), d.reason, d.created_at
    from contact_duplicates d
   where d.organization_id = $1
     and d.contact_id = $3
     and d.other_id <> $2
  on conflict on constraint contact_duplicates_pair do nothing`;
const rePairOther = `
  insert into contact_duplicates (id, organization_id, contact_id, other_id, reason, created_at)
  select uuidv7(), $1::uuid, least($2::uuid, d.contact_id), greatest($2::uuid, d.contact_id), d.reason, d.created_at
    from contact_duplicates d
   where d.organization_id = $1
     and d.other_id = $3
     and d.contact_id <> $2
  on conflict on constraint contact_duplicates_pair do nothing`;

/** SQL: both tables are messaging's, which contacts must not import. */
const moveConversations = `
  update conversations
     set contact_id = $2
   where organization_id = $1
     and contact_id = $3`;
const moveMessages = `
  update messages
     set contact_id = $2
   where organization_id = $1
     and contact_id = $3`;

/** Statements without `returning` count as 0. */
const changed = (text: string) => async (tx: MergeTx) => (await tx.sql(text, [tx.survivor, tx.merged])).length;

export const contactReferences: ContactReference[] = [
  {
    table: ContactIdentity.tableName,
    column: 'contact_id',
    merge: (tx) => tx.update(ContactIdentity, { contact_id: tx.merged }, { contact_id: tx.survivor }),
    erase: 'cascade',
    field: 'identities',
  },
  {
    table: ContactNote.tableName,
    column: 'contact_id',
    merge: (tx) => tx.update(ContactNote, { contact_id: tx.merged }, { contact_id: tx.survivor }),
    erase: 'cascade',
    field: 'notes',
  },
  { table: ContactTag.tableName, column: 'contact_id', merge: changed(moveTags), erase: 'cascade', field: 'tags' },
  {
    table: ContactConsent.tableName,
    column: 'contact_id',
    merge: mergeConsents,
    erase: 'cascade',
    field: 'consents',
  },
  {
    table: ContactSuppression.tableName,
    column: 'contact_id',
    merge: mergeSuppressions,
    erase: 'cascade',
    field: 'suppressions',
  },
  {
    table: ContactPermissionChange.tableName,
    column: 'contact_id',
    merge: (tx) => tx.update(ContactPermissionChange, { contact_id: tx.merged }, { contact_id: tx.survivor }),
    erase: 'cascade',
  },
  {
    table: ContactBlock.tableName,
    column: 'contact_id',
    merge: (tx) => tx.update(ContactBlock, { contact_id: tx.merged }, { contact_id: tx.survivor }),
    erase: 'cascade',
    field: 'blocks',
  },
  {
    table: ContactMerge.tableName,
    column: 'contact_id',
    merge: (tx) => tx.update(ContactMerge, { contact_id: tx.merged }, { contact_id: tx.survivor }),
    erase: 'cascade',
  },
  { table: ContactDuplicate.tableName, column: 'contact_id', merge: changed(rePairContact), erase: 'cascade' },
  { table: ContactDuplicate.tableName, column: 'other_id', merge: changed(rePairOther), erase: 'cascade' },
  // After merge-conversations.ts, which merges those of one channel.
  { table: 'conversations', column: 'contact_id', merge: changed(moveConversations), erase: 'set null' },
  { table: 'messages', column: 'contact_id', merge: changed(moveMessages), erase: 'set null' },
  // erase.ts deletes them before.
  {
    table: MediaAsset.tableName,
    column: 'contact_id',
    merge: (tx) => tx.update(MediaAsset, { contact_id: tx.merged }, { contact_id: tx.survivor }),
    erase: 'set null',
  },
  // No foreign key: the stored reply shows the contact and would outlive it, so erasure withdraws it.
  {
    table: IdempotencyKey.tableName,
    column: 'contact_id',
    merge: (tx) => tx.update(IdempotencyKey, { contact_id: tx.merged }, { contact_id: tx.survivor }),
    erase: 'withdraw',
  },
];
