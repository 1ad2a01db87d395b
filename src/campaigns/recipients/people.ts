import { type Identity, identityKey, withSpellings } from '../../contacts/identities/identity.ts';
import { makeContacts, type NewContact } from '../../contacts/identities/make-contacts.ts';
import { contactsNamed, holdContacts } from '../../contacts/identities/named.ts';
import { uuidv7 } from '../../platform/ids.ts';
import type { OwnTx } from '../../platform/ledger/tx.ts';
import type { Secrets } from '../../platform/secrets.ts';

/** How somebody is named: by a contact's id, or by addresses. `at`: the field or column that says it. */
export type Way = { at: string; contactId: string } | { at: string; identities: Identity[] };
export type NamedPerson = { ways: Way[]; fields: NewContact['fields'] };

export type Met = { contactId: string; isNew: boolean } | { fault: 'unknown' | 'several'; at: string };

const identitiesOf = (ways: Way[]): Identity[] => ways.flatMap((way) => ('identities' in way ? way.identities : []));

/**
 * Who each of them is, in the same order. All ways of one that anybody has must lead to one contact. They stay until the transaction ends.
 * `isCreating`: whoever has an address and is nobody becomes a contact; run with `retryOn: [identityTaken]`.
 */
export async function meetPeople(tx: OwnTx, secrets: Secrets, named: NamedPerson[], isCreating: boolean): Promise<Met[]> {
  const ownerOf = await contactsNamed(
    tx,
    named.flatMap(({ ways }) => identitiesOf(ways)),
  );
  /** The first of its addresses that is known: a phone and the app's id of it are one way. */
  const idOf = (way: Way) => ('contactId' in way ? way.contactId : way.identities.map(ownerOf).find((id) => id !== undefined));
  const there = await holdContacts(
    tx,
    named.flatMap(({ ways }) => ways.flatMap((way) => idOf(way) ?? [])),
  );
  const made = new Map<string, string>();
  const people: NewContact[] = [];
  const met = named.map(({ ways, fields }): Met => {
    const found = ways.flatMap((way) => {
      const id = idOf(way);
      return id !== undefined && there.has(id) ? [{ at: way.at, id }] : [];
    });
    const another = found.find(({ id }) => id !== found[0]!.id);
    if (another) return { fault: 'several', at: another.at };
    if (found[0]) return { contactId: found[0].id, isNew: false };
    const identities = identitiesOf(ways);
    if (!isCreating || identities.length === 0) return { fault: 'unknown', at: ways[0]!.at };
    const before = [...new Set(identities.flatMap((identity) => made.get(identityKey(identity)) ?? []))];
    if (before.length > 1) return { fault: 'several', at: ways.at(-1)!.at };
    if (before[0]) return { contactId: before[0], isNew: false };
    const id = uuidv7();
    people.push({ id, fields, identities });
    for (const identity of withSpellings(identities)) made.set(identityKey(identity), id);
    return { contactId: id, isNew: true };
  });
  await makeContacts(tx, secrets, people);
  return met;
}
