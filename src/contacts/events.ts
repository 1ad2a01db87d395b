import { contactCreated, contactDeleted, contactUpdated } from '../platform/events/catalogue.ts';
import { subjectLock } from '../platform/ledger/locks.ts';
import type { Tx } from '../platform/ledger/tx.ts';

/** What orders the events of a contact, and what every change of one is made under. */
export const contactLock = (id: string) => subjectLock('contact', id);

type Subject = { id: string; name: string };

/** A new contact is an updated one too, as the spec has it. */
export function emitCreated(tx: Tx, organizationId: string, { id, name }: Subject, changed: string[]) {
  const data = { contact_id: id, name, organization_id: organizationId, changed };
  tx.emit(contactCreated, data, { organizationId });
  tx.emit(contactUpdated, data, { organizationId });
}

/** `changed`: fields as the API names them. The contact's lock is held. */
export function emitUpdated(tx: Tx, organizationId: string, { id, name }: Subject, changed: string[]) {
  tx.emit(contactUpdated, { contact_id: id, name, organization_id: organizationId, changed }, { organizationId });
}

/** `mergedInto`: the survivor of a merge; none: forgotten. The contact's lock is held. */
export function emitDeleted(tx: Tx, organizationId: string, id: string, mergedInto = '') {
  tx.emit(contactDeleted, { contact_id: id, organization_id: organizationId, merged_into: mergedInto }, { organizationId });
}
