import { statement } from '../platform/database/statement.ts';
import { contactUpdated } from '../platform/events/catalogue.ts';
import type { OwnTx } from '../platform/ledger/tx.ts';
import { Contact } from './contact.entity.ts';
import { contactLock } from './events.ts';
import { refreshAddresses } from './identities/search-column.ts';
import { contactNotFound } from './queries.ts';

/** A transaction that holds a contact's lock. Only this file creates one, so the type proves the lock. */
export type ContactTx = OwnTx & {
  readonly contactId: string;
  /** Fields by their names in the API; one `contact.updated` at the end names them all. */
  changed(...fields: string[]): void;
  named(name: string): void;
  /** The search column is written once, at the end. */
  addressesChanged(): void;
};

const fieldOrder = [
  'name',
  'phone_number',
  'email',
  'external_source',
  'external_id',
  'custom_fields',
  'identities',
  'notes',
  'tags',
  'consents',
  'suppressions',
  'blocks',
];
const inOrder = (fields: Set<string>) => [...fields].sort((one, other) => fieldOrder.indexOf(one) - fieldOrder.indexOf(other));

const nameOf = statement((select, { id }: { id: string }) => select(Contact).select('name').where('id', '=', id));

/** Throws LocksOutdated without the contact's lock, and 404 when it is missing; the error names the survivor of a merge. */
export async function contactTx(tx: OwnTx, id: string): Promise<ContactTx> {
  const found = await findContactTx(tx, id);
  if (!found) throw await contactNotFound(tx, id);
  return found;
}

/** Undefined: the contact was erased or merged. Throws LocksOutdated without the contact's lock. */
export async function findContactTx(tx: OwnTx, id: string): Promise<ContactTx | undefined> {
  tx.assertLocked(contactLock(id));
  const [contact] = await nameOf(tx, { id });
  return contact && contactTxOf(tx, { id, name: contact.name });
}

/** Saves one query for a rule that reads the contact itself. Throws LocksOutdated without the contact's lock. */
export function contactTxOf(tx: OwnTx, contact: { id: string; name: string }): ContactTx {
  const { id } = contact;
  tx.assertLocked(contactLock(id));
  const fields = new Set<string>();
  let { name } = contact;
  let hasOtherAddresses = false;
  tx.atEnd(async () => {
    if (hasOtherAddresses) await refreshAddresses(tx, id);
    if (fields.size === 0) return;
    tx.emit(contactUpdated, { contact_id: id, name, organization_id: tx.organizationId, changed: inOrder(fields) });
  });
  return Object.assign(Object.create(tx) as OwnTx, {
    contactId: id,
    changed(...names: string[]) {
      for (const field of names) fields.add(field);
    },
    named(text: string) {
      name = text;
    },
    addressesChanged() {
      hasOtherAddresses = true;
    },
  });
}
