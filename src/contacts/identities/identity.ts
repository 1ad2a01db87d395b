import type { Own } from '../../platform/database/own.ts';
import type { RowOf } from '../../platform/database/tables.ts';
import type { ContactIdentity } from '../contact.entity.ts';
import { otherSpelling } from './phone-spellings.ts';

export type Identity = RowOf<typeof ContactIdentity, 'type' | 'source' | 'value'>;
export type OwnedIdentity = RowOf<typeof ContactIdentity, 'contact_id' | 'type' | 'source' | 'value'>;

type IdentityParams = { types: string; sources: string; values: string };

/** SQL: identities and their contacts; $1 is the organization. `offset 0` keeps the index look-ups (bench: lookup, upsert). */
export const ownersPart = ({ types, sources, values }: IdentityParams) => `
  unnest(${types}::text[], ${sources}::text[], ${values}::text[]) as x(type, source, value),
  lateral (
    select o.contact_id, o.type, o.source, o.value
      from contact_identities o
     where o.organization_id = $1
       and o.type = x.type
       and o.source = x.source
       and o.value = x.value
    offset 0) i`;

const isPhone = ({ type }: Pick<Identity, 'type'>) => type === 'phone' || type === 'messaging_app';

/** The same phone in its other form; undefined for all other identities. */
export function respelled<Given extends Pick<Identity, 'type' | 'value'>>(identity: Given): Given | undefined {
  if (!isPhone(identity)) return undefined;
  const other = otherSpelling(identity.value.replace(/^\+/, ''));
  return other === undefined ? undefined : { ...identity, value: identity.type === 'phone' ? `+${other}` : other };
}

export const identityKey = ({ type, source, value }: Identity) => `${type}\n${source}\n${value}`;

/** The identities, then the other forms of their phones. */
export function withSpellings(identities: Identity[]): Identity[] {
  const known = new Set(identities.map(identityKey));
  return [...identities, ...identities.flatMap((one) => respelled(one) ?? []).filter((one) => !known.has(identityKey(one)))];
}

/** The owner of an identity as it is written; without one, of the phone in its other form. */
export function ownerIn(owners: ReadonlyMap<string, string>, identities: Identity[]): (identity: Identity) => string | undefined {
  const ownPhones = new Set(identities.filter((one) => isPhone(one) && owners.has(identityKey(one))).map(digitsOf));
  return (identity) => {
    const own = owners.get(identityKey(identity));
    const other = own === undefined && !ownPhones.has(digitsOf(identity)) ? respelled(identity) : undefined;
    return own ?? (other && owners.get(identityKey(other)));
  };
}

const digitsOf = ({ value }: Identity) => value.replace(/^\+/, '');

/** In the order of their ids. A phone in its other form counts where no contact has it as it is written. */
export async function ownersOf(own: Own, identities: Identity[]): Promise<string[]> {
  const rows = await own.sql<OwnedIdentity>(
    `select i.type, i.source, i.value, i.contact_id
       from ${ownersPart({ types: '$2', sources: '$3', values: '$4' })}`,
    columnsOf(withSpellings(identities)),
  );
  const ownerOf = ownerIn(new Map(rows.map((row) => [identityKey(row), row.contact_id])), identities);
  return [...new Set(identities.flatMap((identity) => ownerOf(identity) ?? []))].sort();
}

/** The three arrays that statements unnest. */
export const columnsOf = (identities: Identity[]) => [
  identities.map(({ type }) => type),
  identities.map(({ source }) => source),
  identities.map(({ value }) => value),
];

type InsertParams = IdentityParams & { organization: string; contact: string };

/** SQL: a set. All writers insert in the same order; otherwise two that create the same person would deadlock. */
export const insertIdentitiesSql = ({ organization, contact, types, sources, values }: InsertParams) => `
  insert into contact_identities (id, organization_id, contact_id, type, source, value)
  select uuidv7(), ${organization}::uuid, ${contact}::uuid, x.type, x.source, x.value
    from unnest(${types}::text[], ${sources}::text[], ${values}::text[]) as x(type, source, value)
   order by x.type, x.source, x.value`;
