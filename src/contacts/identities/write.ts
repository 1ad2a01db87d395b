import type { Secrets } from '../../platform/secrets.ts';
import type { ContactTx } from '../contact-tx.ts';
import { suppressAgain } from '../permission/suppressed-addresses.ts';
import { columnsOf, type Identity, insertIdentitiesSql } from './identity.ts';
import { readdressQueued } from './messaging-address.ts';

/** SQL: a set, in the order of all writers. */
const give = `
  ${insertIdentitiesSql({ organization: '$1', contact: '$2', types: '$3', sources: '$4', values: '$5' })}
  on conflict on constraint contact_identities_value do nothing
  returning type, source, value`;

/** SQL: a set. */
const take = `
  delete from contact_identities i
   using unnest($3::text[], $4::text[], $5::text[]) as x(type, source, value)
   where i.organization_id = $1
     and i.contact_id = $2
     and i.type = x.type
     and i.source = x.source
     and i.value = x.value
  returning i.type, i.source, i.value`;

/** Returns the identities that no other contact has. */
export async function giveIdentities(tx: ContactTx, secrets: Secrets, identities: Identity[]): Promise<Identity[]> {
  const given = await tx.sql<Identity>(give, [tx.contactId, ...columnsOf(identities)]);
  identitiesGiven(tx, secrets, given);
  if (given.length > 0) tx.addressesChanged();
  return given;
}

/** For a statement that also wrote the contact's own columns. */
export function identitiesGiven(tx: ContactTx, secrets: Secrets, given: Identity[]) {
  if (given.length === 0) return;
  suppressAgain(tx, secrets, tx.contactId, given);
  tx.changed('identities');
}

export async function takeIdentities(tx: ContactTx, identities: Identity[]): Promise<void> {
  const taken = await tx.sql<Identity>(take, [tx.contactId, ...columnsOf(identities)]);
  if (taken.length === 0) return;
  // At the end, when what takes its place is written.
  if (taken.some(({ type }) => type !== 'email' && type !== 'external_id')) tx.atEnd(() => readdressQueued(tx, tx.contactId));
  tx.changed('identities');
  tx.addressesChanged();
}
