import { MediaAsset } from '../media/asset.entity.ts';
import { IdempotencyKey } from '../platform/idempotency/idempotency-key.entity.ts';
import { ContactBlock } from './blocking/block.entity.ts';
import { ContactIdentity } from './contact.entity.ts';
import { ContactDuplicate, ContactMerge } from './merging/merge.entity.ts';
import { moveDealContacts } from './merging/merge-deals.ts';
import { mergeConsents, mergeSuppressions } from './merging/merge-permission.ts';
import { mergeRecipients } from './merging/merge-recipients.ts';
import { mergeRuns } from './merging/merge-runs.ts';
import { moveTaskTargets } from './merging/merge-tasks.ts';
import type { MergeTx } from './merging/merge-tx.ts';
import { ContactNote } from './note.entity.ts';
import { ContactConsent, ContactPermissionChange, ContactSuppression } from './permission/permission.entity.ts';
import { moveRecordLinks } from './record-links.ts';
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

/** SQL: the table of segments, which stand above contacts. Leaves behind a membership that the survivor has already. */
const moveMemberships = `
  update segment_members o
     set contact_id = $2
   where o.organization_id = $1
     and o.contact_id = $3
     and not exists (
       select 1
         from segment_members s
        where s.organization_id = $1 and s.contact_id = $2 and s.segment_id = o.segment_id)`;

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

/** SQL: the table of flows, which stand above contacts. */
const moveResponses = `
  update flow_responses
     set contact_id = $2
   where organization_id = $1
     and contact_id = $3`;

/** SQL: tables of commerce, which stands above contacts. */
const moveIn = (table: 'orders' | 'bookings' | 'discount_uses' | 'draft_orders') => `
  update ${table}
     set contact_id = $2
   where organization_id = $1
     and contact_id = $3`;

/** Statements without `returning` count as 0. */
const changed = (text: string) => async (tx: MergeTx) => (await tx.sql(text, [tx.survivor, tx.merged])).length;

async function moveLinks(tx: MergeTx): Promise<number> {
  await moveRecordLinks(tx, 'contact', { from: tx.merged, into: tx.survivor });
  return 0;
}

async function moveTargets(tx: MergeTx): Promise<number> {
  await moveTaskTargets(tx, 'contact', { from: tx.merged, into: tx.survivor });
  return 0;
}

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
  // erase.ts blanks them before.
  { table: 'campaign_recipients', column: 'contact_id', merge: mergeRecipients, erase: 'set null' },
  // erase.ts cancels those that live, and blanks them.
  { table: 'automation_runs', column: 'contact_id', merge: mergeRuns, erase: 'set null' },
  { table: 'flow_responses', column: 'contact_id', merge: changed(moveResponses), erase: 'cascade' },
  { table: 'segment_members', column: 'contact_id', merge: changed(moveMemberships), erase: 'cascade' },
  { table: 'orders', column: 'contact_id', merge: changed(moveIn('orders')), erase: 'set null' },
  { table: 'bookings', column: 'contact_id', merge: changed(moveIn('bookings')), erase: 'set null' },
  { table: 'discount_uses', column: 'contact_id', merge: changed(moveIn('discount_uses')), erase: 'set null' },
  { table: 'draft_orders', column: 'contact_id', merge: changed(moveIn('draft_orders')), erase: 'cascade' },
  { table: 'deal_contacts', column: 'contact_id', merge: moveDealContacts, erase: 'cascade', field: 'deals' },
  // erase.ts deletes the tasks that were about nobody else, before.
  { table: 'task_targets', column: 'contact_id', merge: moveTargets, erase: 'cascade' },
  // erase.ts deletes them before.
  {
    table: MediaAsset.tableName,
    column: 'contact_id',
    merge: (tx) => tx.update(MediaAsset, { contact_id: tx.merged }, { contact_id: tx.survivor }),
    erase: 'set null',
  },
  // A record that is linked; its own revision tells of it.
  { table: 'record_links', column: 'contact_id', merge: moveLinks, erase: 'cascade' },
  // No foreign key: the stored reply shows the contact and would outlive it, so erasure withdraws it.
  {
    table: IdempotencyKey.tableName,
    column: 'contact_id',
    merge: (tx) => tx.update(IdempotencyKey, { contact_id: tx.merged }, { contact_id: tx.survivor }),
    erase: 'withdraw',
  },
];
