import { ContactBlock } from '../../../src/contacts/blocking/block.entity.ts';
import { Contact, ContactIdentity } from '../../../src/contacts/contact.entity.ts';
import { ContactErasure } from '../../../src/contacts/erasure/erasure.entity.ts';
import { ContactExport, ContactExportChunk } from '../../../src/contacts/export/export.entity.ts';
import { ContactImport, ContactImportChunk } from '../../../src/contacts/import/import.entity.ts';
import { ContactDuplicate, ContactMerge } from '../../../src/contacts/merging/merge.entity.ts';
import { ContactNote } from '../../../src/contacts/note.entity.ts';
import {
  ContactConsent,
  ContactPermissionChange,
  ContactSuppression,
  SuppressedAddress,
} from '../../../src/contacts/permission/permission.entity.ts';
import { ContactTag, Tag } from '../../../src/contacts/tag.entity.ts';
import { Segment, SegmentMember } from '../../../src/segments/segment.entity.ts';
import { type Database, storedRows } from './rows.ts';

export const storedContacts = storedRows(Contact);
export const storedIdentities = storedRows(ContactIdentity);
export const storedErasures = storedRows(ContactErasure);
export const storedMerges = storedRows(ContactMerge);
export const storedDuplicates = storedRows(ContactDuplicate);
export const storedExports = storedRows(ContactExport);
export const storedExportChunks = storedRows(ContactExportChunk);
export const storedContactNotes = storedRows(ContactNote);
export const storedBlocks = storedRows(ContactBlock);
export const storedConsents = storedRows(ContactConsent);
export const storedSuppressions = storedRows(ContactSuppression);
export const storedPermissionHistory = storedRows(ContactPermissionChange);
export const storedSuppressedAddresses = storedRows(SuppressedAddress);
export const storedContactImports = storedRows(ContactImport);
export const storedContactImportChunks = storedRows(ContactImportChunk);
export const storedTags = storedRows(Tag);
export const storedContactTags = storedRows(ContactTag);
export const storedSegments = storedRows(Segment);
export const storedSegmentMembers = storedRows(SegmentMember);

/** The background part of erasures has ended for all contacts. */
export const allErased = async (app: Database) => (await storedErasures.count(app)) === 0;

/** A tag of several contacts, created where it does not exist. */
export async function tagContacts(app: Database, organizationId: string, name: string, contactIds: string[]) {
  const [known] = await storedTags.all(app, { organization_id: organizationId, name });
  const tag_id = known?.id ?? (await storedTags.add(app, { organization_id: organizationId, name }));
  await storedContactTags.addAll(
    app,
    contactIds.map((contact_id) => ({ organization_id: organizationId, contact_id, tag_id })),
  );
}
