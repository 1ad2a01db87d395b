import type { OwnTx } from '../../platform/ledger/tx.ts';
import type { Secrets } from '../../platform/secrets.ts';
import type { ContactFields } from '../fields.ts';
import { suppressSet } from '../import/suppress-imported.ts';
import { hashesOf } from '../permission/suppressed-addresses.ts';
import { columnsOf, type Identity } from './identity.ts';

/** A person whom no contact of the organization is. `fields`: without custom fields. */
export type NewContact = { id: string; fields: Omit<ContactFields, 'custom_fields'>; identities: Identity[] };

/* SQL: a set, one statement a table. */

const insertContacts = `
  insert into contacts (organization_id, id, name, phone_number, email, external_source, external_id)
  select $1, x.id, coalesce(x.name, ''), coalesce(x.phone_number, ''), coalesce(x.email, ''),
         coalesce(x.external_source, ''), coalesce(x.external_id, '')
    from jsonb_to_recordset($2::jsonb) as x(
      n int, id uuid, name text, phone_number text, email text, external_source text, external_id text)
   order by x.n`;

/** In the order of all writers. */
const insertIdentities = `
  insert into contact_identities (id, organization_id, contact_id, type, source, value)
  select uuidv7(), $1, x.contact_id, x.type, x.source, x.value
    from unnest($2::uuid[], $3::text[], $4::text[], $5::text[]) as x(contact_id, type, source, value)
   order by x.type, x.source, x.value`;

/** No event for each, as in an import of contacts. Run so that `identityTaken` repeats the transaction: somebody else made one of them first. */
export async function makeContacts(tx: OwnTx, secrets: Secrets, people: NewContact[]): Promise<void> {
  if (people.length === 0) return;
  await tx.sql(insertContacts, [JSON.stringify(people.map(({ id, fields }, n) => ({ n, id, ...fields })))]);
  const given = people.flatMap(({ id, identities }) => identities.map((identity) => ({ id, identity })));
  const ids = given.map(({ id }) => id);
  await tx.sql(insertIdentities, [ids, ...columnsOf(given.map(({ identity }) => identity))]);
  const hashes = people.flatMap(({ id, identities }) =>
    hashesOf(secrets, tx.organizationId, identities).map((hash) => ({ id, hash })),
  );
  await tx.sql(suppressSet, [hashes.map(({ id }) => id), hashes.map(({ hash }) => hash)]);
}
