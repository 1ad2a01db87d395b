import type { Own } from '../../platform/database/own.ts';
import type { RowOf } from '../../platform/database/tables.ts';
import type { ContactIdentity } from '../contact.entity.ts';

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

export async function ownersOf(own: Own, identities: Identity[]): Promise<string[]> {
  const rows = await own.sql<RowOf<typeof ContactIdentity, 'contact_id'>>(
    `select distinct i.contact_id
       from ${ownersPart({ types: '$2', sources: '$3', values: '$4' })}
      order by 1`,
    columnsOf(identities),
  );
  return rows.map(({ contact_id }) => contact_id);
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
