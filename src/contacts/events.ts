import { contactCreated, contactDeleted, contactUpdated } from '../platform/events/catalogue.ts';
import { subjectLock } from '../platform/ledger/locks.ts';
import type { OwnTx } from '../platform/ledger/tx.ts';

/** Orders the events of a contact; every change of a contact holds it. */
export const contactLock = (id: string) => subjectLock('contact', id);

type Subject = { id: string; name: string };

/** The specification: a new contact emits `contact.updated` too. */
export function emitCreated(tx: OwnTx, { id, name }: Subject, changed: string[]) {
  const data = { contact_id: id, name, organization_id: tx.organizationId, changed };
  tx.emit(contactCreated, data);
  tx.emit(contactUpdated, data);
}

/** For code without a ContactTx, which collects the changed fields itself. */
export function emitUpdated(tx: OwnTx, { id, name }: Subject, changed: string[]) {
  tx.emit(contactUpdated, { contact_id: id, name, organization_id: tx.organizationId, changed });
}

/** `mergedInto`: the survivor of a merge; empty after an erasure. */
export function emitDeleted(tx: OwnTx, id: string, mergedInto = '') {
  tx.emit(contactDeleted, { contact_id: id, organization_id: tx.organizationId, merged_into: mergedInto });
}
