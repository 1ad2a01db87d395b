import type { PoolClient } from 'pg';
import type { RowOf } from '../../platform/database/tables.ts';
import type { Contact } from '../contact.entity.ts';
import { columnsOf, identityKey, type OwnedIdentity, ownersPart, withSpellings } from '../identities/identity.ts';
import type { StagedRow } from './staging.ts';

/** Each row sees the changes of the rows before it. `tags`: folded names. */
export type Person = RowOf<typeof Contact, PersonColumn> & { tags: Set<string> };
type PersonColumn = 'id' | 'name' | 'phone_number' | 'email' | 'external_source' | 'external_id' | 'custom_fields';

export type People = {
  byId: Map<string, Person>;
  owners: Map<string, string>;
  known: Set<string>;
  foldedTags: Map<string, string>;
};

/** SQL: on the connection of the batch. Looked up by the primary key alone, as in resolve-rows.ts. */
const contacts = `
  select k.id, k.name, k.phone_number, k.email, k.external_source, k.external_id, k.custom_fields,
         array(
           select fold(t.name)
             from contact_tags a
             join tags t on t.organization_id = a.organization_id and t.id = a.tag_id
            where a.organization_id = $1 and a.contact_id = k.id) as tags
    from unnest($2::uuid[]) as x(id),
         lateral (
           select *
             from contacts c
            where c.id = x.id and c.organization_id is not distinct from $1::uuid
            limit 1) k`;

export async function findPeople(client: PoolClient, organizationId: string, rows: StagedRow[]): Promise<People> {
  const identities = new Map(rows.flatMap((row) => row.identities.map((identity) => [identityKey(identity), identity])));
  const found = await client.query<OwnedIdentity>(
    `select i.type, i.source, i.value, i.contact_id
       from ${ownersPart({ types: '$2', sources: '$3', values: '$4' })}`,
    [organizationId, ...columnsOf(withSpellings([...identities.values()]))],
  );
  const owners = new Map(found.rows.map((row) => [identityKey(row), row.contact_id]));
  const ids = new Set([...owners.values(), ...rows.flatMap(({ id }) => (id === undefined ? [] : [id]))]);
  const known = await client.query<Omit<Person, 'tags'> & { tags: string[] }>(contacts, [organizationId, [...ids]]);
  const byId = new Map(known.rows.map((row) => [row.id, { ...row, tags: new Set(row.tags) }]));
  const names = [...new Set(rows.flatMap(({ tags }) => tags))];
  const folded =
    names.length === 0
      ? []
      : (
          await client.query<{ name: string; folded: string }>(
            'select name, fold(name) as folded from unnest($1::text[]) as name',
            [names],
          )
        ).rows;
  return { byId, owners, known: new Set(byId.keys()), foldedTags: new Map(folded.map((row) => [row.name, row.folded])) };
}
