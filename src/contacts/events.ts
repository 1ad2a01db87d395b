import { contactCreated, contactDeleted, contactUpdated } from '../platform/events/catalogue.ts';
import { subjectLock } from '../platform/ledger/locks.ts';
import type { OwnTx } from '../platform/ledger/tx.ts';

/** Orders the events of a contact; every change of a contact is made under it. */
export const contactLock = (id: string) => subjectLock('contact', id);

type Subject = { id: string; name: string };

/** A new contact is an updated one too, as the spec has it. */
export function emitCreated(tx: OwnTx, { id, name }: Subject, changed: string[]) {
  const data = { contact_id: id, name, organization_id: tx.organizationId, changed };
  tx.emit(contactCreated, data);
  tx.emit(contactUpdated, data);
}

/** `changed`: fields as the API names them. A rule of one contact names them to its ContactTx instead. */
export function emitUpdated(tx: OwnTx, { id, name }: Subject, changed: string[]) {
  tx.emit(contactUpdated, { contact_id: id, name, organization_id: tx.organizationId, changed });
}

/** `mergedInto`: the survivor of a merge; none: erased. */
export function emitDeleted(tx: OwnTx, id: string, mergedInto = '') {
  tx.emit(contactDeleted, { contact_id: id, organization_id: tx.organizationId, merged_into: mergedInto });
}
