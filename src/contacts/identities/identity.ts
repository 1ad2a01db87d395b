import type { Own } from '../../platform/database/own.ts';
import type { RowOf } from '../../platform/database/tables.ts';
import type { ContactIdentity } from '../contact.entity.ts';

export type Identity = RowOf<typeof ContactIdentity, 'type' | 'source' | 'value'>;

/** Which parameters of a statement hold identities, as `columnsOf` makes them. */
type IdentityParams = { types: string; sources: string; values: string };

/**
 * SQL: identities and who has them, the organization being $1. `offset 0` keeps each look a look by index: a plan made for all
 * organizations would join all the contacts of this one (bench: lookup, upsert).
 */
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

/** The contacts that identities belong to, each once; the oldest first. */
export async function ownersOf(own: Own, identities: Identity[]): Promise<string[]> {
  const rows = await own.sql<{ contact_id: string }>(
    `select distinct i.contact_id
       from ${ownersPart({ types: '$2', sources: '$3', values: '$4' })}
      order by 1`,
    columnsOf(identities),
  );
  return rows.map(({ contact_id }) => contact_id);
}

/** Identities as the three arrays that statements unnest. */
export const columnsOf = (identities: Identity[]) => [
  identities.map(({ type }) => type),
  identities.map(({ source }) => source),
  identities.map(({ value }) => value),
];

type InsertParams = IdentityParams & { organization: string; contact: string };

/**
 * SQL: gives a contact a set of identities. All writers go in one order, or two who make the same person would each wait for what the other
 * has written first.
 */
export const insertIdentitiesSql = ({ organization, contact, types, sources, values }: InsertParams) => `
  insert into contact_identities (id, organization_id, contact_id, type, source, value)
  select uuidv7(), ${organization}::uuid, ${contact}::uuid, x.type, x.source, x.value
    from unnest(${types}::text[], ${sources}::text[], ${values}::text[]) as x(type, source, value)
   order by x.type, x.source, x.value`;
