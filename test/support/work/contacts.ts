import { ContactBlock } from '../../../src/contacts/blocking/block.entity.ts';
import { Contact, ContactIdentity } from '../../../src/contacts/contact.entity.ts';
import { ContactErasure } from '../../../src/contacts/erasure/erasure.entity.ts';
import { ContactExport, ContactExportChunk } from '../../../src/contacts/export/export.entity.ts';
import { ContactImport, ContactImportChunk, ContactImportError } from '../../../src/contacts/import/import.entity.ts';
import { ContactDuplicate } from '../../../src/contacts/merging/merge.entity.ts';
import { ContactConsent, ContactSuppression, SuppressedAddress } from '../../../src/contacts/permission/permission.entity.ts';
import { ContactTag, Tag } from '../../../src/contacts/tag.entity.ts';
import { Segment, SegmentMember } from '../../../src/segments/segment.entity.ts';
import { type At, rowsOf } from './rows.ts';

export const contactRows = rowsOf(Contact);
export const identityRows = rowsOf(ContactIdentity);
export const blockRows = rowsOf(ContactBlock);
export const exportRows = rowsOf(ContactExport);
export const exportChunkRows = rowsOf(ContactExportChunk);
export const contactImportRows = rowsOf(ContactImport);
export const contactImportChunkRows = rowsOf(ContactImportChunk);
export const contactImportErrorRows = rowsOf(ContactImportError);
export const erasureRows = rowsOf(ContactErasure);
export const suppressionRows = rowsOf(ContactSuppression);
export const consentRows = rowsOf(ContactConsent);
export const suppressedAddressRows = rowsOf(SuppressedAddress);
export const duplicateRows = rowsOf(ContactDuplicate);
export const tagRows = rowsOf(Tag);
export const contactTagRows = rowsOf(ContactTag);
export const segmentRows = rowsOf(Segment);
export const segmentMemberRows = rowsOf(SegmentMember);

/** Adds members to a static segment, which is created when it does not exist. */
export async function segmentOf(at: At, organizationId: string, id: string, contactIds: string[]): Promise<void> {
  if ((await segmentRows.count(at, id)) === 0)
    await segmentRows.add(at, { organization_id: organizationId, id, name: id, kind: 'static' });
  await segmentMemberRows.addAll(
    at,
    contactIds.map((contactId) => ({ organization_id: organizationId, segment_id: id, contact_id: contactId })),
  );
}
