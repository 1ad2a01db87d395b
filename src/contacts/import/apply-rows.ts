import type { PoolClient } from 'pg';
import type { Secrets } from '../../secrets.ts';
import { otherAddresses } from '../change.ts';
import { tagsColumn } from '../csv/columns.ts';
import { catalogueLock, mostTags } from '../tag-catalogue.ts';
import { ImportFailure } from './failure.ts';
import { columns, type Standing, Taken, wanted } from './resolve-rows.ts';
import type { StagedRow } from './staging.ts';
import { type OwnIdentity, ownIdentity, remembersAnybody, suppressImported } from './suppress-imported.ts';

const insertContacts = `
  insert into contacts (id, organization_id, ${columns})
  select r.contact_id, $1, r.name, r.phone_number, r.email, r.external_source, r.external_id, r.custom_fields from import_rows r
   where r.wave = $2 and not r.is_known order by r.n`;

/** In the order of their index, and so in one order for all who import at once. */
const insertIdentities = `
  insert into contact_identities (id, organization_id, contact_id, type, source, value)
  select uuidv7(), $1, r.contact_id, i.type, i.source, i.value from import_rows r join import_identities i on i.n = r.n
   where r.wave = $2 and (r.is_changed or not r.is_known) order by i.type, i.source, i.value
  on conflict on constraint contact_identities_value do nothing`;

const updateContacts = `
  update contacts k set (${columns}) = row(${wanted}), updated_at = clock_timestamp() from import_rows r
   where r.wave = $2 and r.is_changed and k.id = r.contact_id and k.organization_id is not distinct from $1::uuid
     and ((k.name, k.phone_number, k.email, k.external_source, k.external_id, k.custom_fields) is distinct from (${wanted}) or r.n = any($3::int[]))
  returning new.id, (old.phone_number <> '' and old.phone_number <> new.phone_number) or (old.email <> '' and old.email <> new.email) as is_replaced`;

const refresh = `
  update contacts k set other_addresses = ${otherAddresses}
   where k.organization_id = $1 and k.id = any($2::uuid[]) and k.other_addresses is distinct from ${otherAddresses}`;

const anyNewTag = `
  select 1 from import_rows r, unnest(r.tags) as g(name)
   where r.wave = $2 and (r.is_changed or not r.is_known) and not exists (
     select from tags t where t.organization_id = $1 and fold(t.name) = fold(g.name)) limit 1`;
const insertTags = `
  insert into tags (id, organization_id, name) select uuidv7(), $1, x.name from (
    select distinct on (fold(g.name)) g.name from import_rows r, unnest(r.tags) as g(name) where r.wave = $2 and (r.is_changed or not r.is_known)
     order by fold(g.name), r.n) x
  on conflict (organization_id, fold(name)) do nothing`;
const assignTags = `
  insert into contact_tags (organization_id, contact_id, tag_id)
  select distinct $1::uuid, r.contact_id, t.id from import_rows r, unnest(r.tags) as g(name), lateral (
    select id from tags where organization_id = $1 and fold(tags.name) = fold(g.name) limit 1) t
   where r.wave = $2 and (r.is_changed or not r.is_known)
  on conflict on constraint contact_tags_pkey do nothing`;

/** Writes the rows of one wave: what is new, and what is changed. Throws Taken when somebody else had one of the identities first. */
export async function applyRows(
  client: PoolClient,
  secrets: Secrets,
  organizationId: string,
  wave: number,
  rows: StagedRow[],
  standings: Map<number, Standing>,
): Promise<void> {
  const at: [string, number] = [organizationId, wave];
  const changed = rows.filter(({ n }) => isChanged(standings.get(n)));
  if (changed.length > 0)
    await client.query('update import_rows set is_changed = true where n = any($1::int[])', [changed.map(({ n }) => n)]);
  const added = rows.filter(({ n }) => standings.get(n)?.kind === 'new');
  const wantedIdentities = [...added, ...changed].reduce((sum, row) => sum + identitiesToCome(row, standings.get(row.n)!), 0);
  if (added.length > 0) await client.query(insertContacts, at);
  if (wantedIdentities > 0) {
    const remembers = await remembersAnybody(client, organizationId);
    const inserted = await client.query<OwnIdentity>(
      remembers ? `${insertIdentities} returning ${ownIdentity}` : insertIdentities,
      at,
    );
    if (inserted.rowCount !== wantedIdentities) throw new Taken();
    if (remembers) await suppressImported(client, secrets, organizationId, inserted.rows);
  }
  if (changed.length > 0) {
    // A contact shows its tags: one that gets some is another one now.
    const tagged = changed.filter(({ n }) => lacksTags(standings.get(n))).map(({ n }) => n);
    const { rows: updated } = await client.query<{ id: string; is_replaced: boolean }>(updateContacts, [...at, tagged]);
    const replaced = updated.filter((row) => row.is_replaced).map(({ id }) => id);
    if (replaced.length > 0) await client.query(refresh, [organizationId, replaced]);
  }
  if ([...added, ...changed].some(({ tags }) => tags.length > 0)) {
    await makeTags(client, at);
    await client.query(assignTags, at);
  }
}

/** Throws ImportFailure when they are too many with those the organization has. */
async function makeTags(client: PoolClient, at: [organizationId: string, wave: number]) {
  const { rowCount: isAnyNew } = await client.query(anyNewTag, at);
  if (!isAnyNew) return;
  const [organizationId] = at;
  await client.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [catalogueLock(organizationId)]);
  await client.query(insertTags, at);
  const { rows } = await client.query<{ n: number }>('select count(*)::int as n from tags where organization_id = $1', [
    organizationId,
  ]);
  if (rows[0]!.n > mostTags)
    throw new ImportFailure('limit_reached', `An organization has at most ${mostTags} tags`, { column: tagsColumn });
}

const isChanged = (standing: Standing | undefined) => standing?.kind === 'known' && standing.isChanged;
const lacksTags = (standing: Standing | undefined) => standing?.kind === 'known' && standing.lacksTags;
const identitiesToCome = ({ identities }: StagedRow, standing: Standing) =>
  standing.kind === 'known' ? standing.missing : identities.length;
