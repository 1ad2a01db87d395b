import { contactUpdated } from '../platform/events/catalogue.ts';
import type { OwnTx } from '../platform/ledger/tx.ts';
import { contactLock } from './events.ts';
import { getContact } from './queries.ts';

/** A transaction that holds a contact's lock. Only `contactTx` makes one, so that a rule which takes it needs no comment about locks. */
export type ContactTx = OwnTx & {
  readonly contactId: string;
  /** Names fields that this transaction changed, as the API calls them. One `contact.updated` at the end tells them all. */
  changed(...fields: string[]): void;
};

/** Throws LocksOutdated without the contact's lock, and 404 when there is no such contact; the error names the survivor of a merge. */
export async function contactTx(tx: OwnTx, id: string): Promise<ContactTx> {
  tx.assertLocked(contactLock(id));
  const { name } = await getContact(tx, id);
  const fields = new Set<string>();
  tx.atEnd(() => {
    if (fields.size === 0) return;
    tx.emit(contactUpdated, { contact_id: id, name, organization_id: tx.organizationId, changed: [...fields] });
  });
  const changed = (...names: string[]) => {
    for (const field of names) fields.add(field);
  };
  return Object.assign(Object.create(tx) as OwnTx, { contactId: id, changed });
}
