import type { Own } from '../../platform/database/own.ts';
import type { RowOf } from '../../platform/database/tables.ts';
import type { Contact } from '../contact.entity.ts';
import { foldedEmail } from '../fields.ts';
import { columnsOf, type Identity, identityKey, type OwnedIdentity, ownerIn, ownersPart, withSpellings } from './identity.ts';
import { phoneCandidate, toE164 } from './phone.ts';

/** How a file names a contact; an external id needs its source. */
export const contactNames = ['id', 'phone_number', 'email', 'external_id'] as const;
export type ContactName = (typeof contactNames)[number];

/** Undefined: the text is no such identity. */
export function identityNamed(by: Exclude<ContactName, 'id'>, text: string, source = ''): Identity | undefined {
  if (by === 'email') return { type: 'email', source: '', value: foldedEmail(text) };
  if (by === 'external_id') return source === '' ? undefined : { type: 'external_id', source, value: text };
  // It is only looked up: a provider may have named a number that no plan knows.
  const value = toE164(text) ?? phoneCandidate(text);
  return value === undefined ? undefined : { type: 'phone', source: '', value };
}

/** The owners of the identities, in one statement. A phone is found in its other form, too. */
export async function contactsNamed(own: Own, identities: Identity[]): Promise<(identity: Identity) => string | undefined> {
  const asked = new Map(identities.map((identity) => [identityKey(identity), identity]));
  if (asked.size === 0) return () => undefined;
  const rows = await own.sql<OwnedIdentity>(
    `select i.type, i.source, i.value, i.contact_id
       from ${ownersPart({ types: '$2', sources: '$3', values: '$4' })}`,
    columnsOf(withSpellings([...asked.values()])),
  );
  return ownerIn(new Map(rows.map((row) => [identityKey(row), row.contact_id])), [...asked.values()]);
}

/** SQL: a set in the order of ids. They stay until the transaction ends: take them before the rows of what is linked to them. */
const hold = `
  select id
    from contacts
   where organization_id = $1
     and id = any($2::uuid[])
   order by id
     for key share`;

/** Those that are there. */
export async function holdContacts(own: Own, ids: string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const rows = await own.sql<RowOf<typeof Contact, 'id'>>(hold, [[...new Set(ids)]]);
  return new Set(rows.map(({ id }) => id));
}
