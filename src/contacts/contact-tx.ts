import { statement } from '../platform/database/statement.ts';
import { contactUpdated } from '../platform/events/catalogue.ts';
import type { OwnTx } from '../platform/ledger/tx.ts';
import { Contact } from './contact.entity.ts';
import { contactLock } from './events.ts';
import { refreshAddresses } from './identities/search-column.ts';
import { contactNotFound } from './queries.ts';

/** A transaction that holds a contact's lock. Only this file makes one, so that a rule which takes it needs no comment about locks. */
export type ContactTx = OwnTx & {
  readonly contactId: string;
  /** Names fields that this transaction changed, as the API calls them. One `contact.updated` at the end tells them all. */
  changed(...fields: string[]): void;
  /** The contact's name after a change of it, for the event. */
  named(name: string): void;
  /** The contact's phones or emails changed: the search column is written once, at the end. */
  addressesChanged(): void;
};

/** The order in which an event names fields, whichever rule changed them first. */
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

/** Throws LocksOutdated without the contact's lock, and 404 when there is no such contact; the error names the survivor of a merge. */
export async function contactTx(tx: OwnTx, id: string): Promise<ContactTx> {
  const found = await findContactTx(tx, id);
  if (!found) throw await contactNotFound(tx, id);
  return found;
}

/** Undefined when there is no such contact: it was erased, or became part of another. Throws LocksOutdated without the contact's lock. */
export async function findContactTx(tx: OwnTx, id: string): Promise<ContactTx | undefined> {
  tx.assertLocked(contactLock(id));
  const [contact] = await nameOf(tx, { id });
  return contact && contactTxOf(tx, { id, name: contact.name });
}

/** For a rule that reads the contact itself, on a path where one more query counts. Throws LocksOutdated without the contact's lock. */
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
