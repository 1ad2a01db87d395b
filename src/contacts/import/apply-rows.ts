import type { PoolClient } from 'pg';
import { ImportFailure } from '../../platform/csv/failure.ts';
import type { RowOf } from '../../platform/database/tables.ts';
import type { Secrets } from '../../platform/secrets.ts';
import type { Contact } from '../contact.entity.ts';
import { tagsColumn } from '../csv/columns.ts';
import type { OwnedIdentity } from '../identities/identity.ts';
import { otherAddresses } from '../identities/search-column.ts';
import { catalogueLock, maxTags } from '../tag-catalogue.ts';
import { columns, Taken, wanted } from './resolve-rows.ts';
import { ownIdentity, remembersAnybody, suppressImported } from './suppress-imported.ts';

/* SQL: a batch is written from its temporary tables, one statement a table (bench: import). */

const insertContacts = `
  insert into contacts (id, organization_id, ${columns})
  select r.contact_id, $1, r.name, r.phone_number, r.email, r.external_source, r.external_id, r.custom_fields
    from import_rows r
   where not r.is_known
   order by r.n`;

/** Ordered like the index, so that concurrent imports write in the same order. */
const insertIdentities = `
  insert into contact_identities (id, organization_id, contact_id, type, source, value)
  select uuidv7(), $1, r.contact_id, i.type, i.source, i.value
    from import_rows r
    join import_identities i on i.n = r.n
   where r.is_changed or not r.is_known
   order by i.type, i.source, i.value
  on conflict on constraint contact_identities_value do nothing`;
const insertIdentitiesReturning = `${insertIdentities} returning ${ownIdentity}`;

const updateContacts = `
  update contacts k
     set (${columns}) = row(${wanted}),
         updated_at = clock_timestamp()
    from import_rows r
   where r.is_changed
     and k.id = r.contact_id
     and k.organization_id is not distinct from $1::uuid
     and ((k.name, k.phone_number, k.email, k.external_source, k.external_id, k.custom_fields)
            is distinct from (${wanted})
          or r.n = any($2::int[]))
  returning new.id,
            (old.phone_number <> '' and old.phone_number <> new.phone_number)
              or (old.email <> '' and old.email <> new.email) as is_replaced`;

// SQL: a set, by a condition that other rules share.
const refresh = `
  update contacts k
     set other_addresses = ${otherAddresses}
   where k.organization_id = $1
     and k.id = any($2::uuid[])
     and k.other_addresses is distinct from ${otherAddresses}`;

// SQL: sets from the temporary table.
const anyNewTag = `
  select 1
    from import_rows r, unnest(r.tags) as g(name)
   where (r.is_changed or not r.is_known)
     and not exists (select from tags t where t.organization_id = $1 and fold(t.name) = fold(g.name))
   limit 1`;

const insertTags = `
  insert into tags (id, organization_id, name)
  select uuidv7(), $1, x.name
    from (
      select distinct on (fold(g.name)) g.name
        from import_rows r, unnest(r.tags) with ordinality as g(name, place)
       where r.is_changed or not r.is_known
       order by fold(g.name), r.n, g.place) x
  on conflict (organization_id, fold(name)) do nothing`;

const assignTags = `
  insert into contact_tags (organization_id, contact_id, tag_id)
  select distinct $1::uuid, r.contact_id, t.id
    from import_rows r,
         unnest(r.tags) as g(name),
         lateral (select id from tags where organization_id = $1 and fold(tags.name) = fold(g.name) limit 1) t
   where r.is_changed or not r.is_known
  on conflict on constraint contact_tags_pkey do nothing`;

export type Write = {
  n: number;
  contactId: string;
  isNew: boolean;
  identities: number;
  hasTags: boolean;
  lacksTags: boolean;
  /** Several rows together: a value that one row replaces and the next restores still counts as a change. */
  isFolded: boolean;
};

/** Throws Taken when another writer added one of the identities first. */
export async function applyRows(client: PoolClient, secrets: Secrets, organizationId: string, writes: Write[]): Promise<void> {
  const changed = writes.filter(({ isNew }) => !isNew);
  if (changed.length > 0)
    // SQL: a temporary table.
    await client.query(
      `update import_rows
          set is_changed = true
        where n = any($1::int[])`,
      [changed.map(({ n }) => n)],
    );
  if (changed.length < writes.length) await client.query(insertContacts, [organizationId]);
  const identities = writes.reduce((sum, write) => sum + write.identities, 0);
  if (identities > 0) await addIdentities(client, secrets, organizationId, identities);
  const replaced = new Set(writes.filter(({ isFolded }) => isFolded).map(({ contactId }) => contactId));
  if (changed.length > 0) {
    // A contact shows its tags, so a new tag changes the contact.
    const touched = changed.filter(({ lacksTags, isFolded }) => lacksTags || isFolded).map(({ n }) => n);
    const { rows: updated } = await client.query<RowOf<typeof Contact, 'id'> & { is_replaced: boolean }>(updateContacts, [
      organizationId,
      touched,
    ]);
    for (const { id, is_replaced } of updated) if (is_replaced) replaced.add(id);
  }
  if (replaced.size > 0) await client.query(refresh, [organizationId, [...replaced]]);
  if (writes.some(({ hasTags }) => hasTags)) {
    await makeTags(client, organizationId);
    await client.query(assignTags, [organizationId]);
  }
}

async function addIdentities(client: PoolClient, secrets: Secrets, organizationId: string, count: number) {
  const remembers = await remembersAnybody(client, organizationId);
  const text = remembers ? insertIdentitiesReturning : insertIdentities;
  const inserted = await client.query<OwnedIdentity>(text, [organizationId]);
  if (inserted.rowCount !== count) throw new Taken();
  if (remembers) await suppressImported(client, secrets, organizationId, inserted.rows);
}

/** Throws ImportFailure above the organization's limit. */
async function makeTags(client: PoolClient, organizationId: string) {
  const { rowCount: isAnyNew } = await client.query(anyNewTag, [organizationId]);
  if (!isAnyNew) return;
  // SQL: the lock and the count are on the import's own connection.
  await client.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [catalogueLock(organizationId)]);
  await client.query(insertTags, [organizationId]);
  const { rows } = await client.query<{ n: number }>(
    `select count(*)::int as n
       from tags
      where organization_id = $1`,
    [organizationId],
  );
  if (rows[0]!.n > maxTags)
    throw new ImportFailure('limit_reached', `An organization has at most ${maxTags} tags`, { column: tagsColumn });
}
