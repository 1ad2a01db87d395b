import type { PoolClient } from 'pg';
import type { RowError } from '../../platform/imports/progress.ts';
import { idColumn } from '../csv/columns.ts';
import { faultOfCustom, maxCustomBytes, maxCustomKeys } from '../fields.ts';
import { maxTagsOfContact } from '../tags.ts';
import type { StagedRow } from './staging.ts';

/** `missing`: identities the contact lacks. */
export type Standing =
  | { kind: 'new' }
  | { kind: 'known'; owner: string; isChanged: boolean; lacksTags: boolean; missing: number }
  | { kind: 'refused'; error: RowError };

/** Another writer changed one of these contacts meanwhile: retry the batch. */
export class Taken extends Error {}

/** SQL: a batch's temporary tables (bench: import). Forces the unique index, whatever the planner estimates. */
const owners = `
  select n,
         array_agg(distinct contact_id::text) as owners,
         count(*) filter (where is_identity)::int as known
    from (
      select r.n, o.contact_id, true as is_identity
        from import_rows r
        join import_identities i on i.n = r.n,
             lateral (
               select c.contact_id
                 from contact_identities c
                where c.organization_id = $1 and c.type = i.type and c.source = i.source and c.value = i.value
                limit 1) o
      union all
      select r.n, o.contact_id, false
        from import_rows r
        join import_spellings i on i.n = r.n,
             lateral (
               select c.contact_id
                 from contact_identities c
                where c.organization_id = $1 and c.type = i.type and c.source = '' and c.value = i.respelled
                  and not exists (
                    select
                      from contact_identities e
                     where e.organization_id = $1 and e.type = i.type and e.source = '' and e.value = i.value)
                limit 1) o
      union all
      select r.n, o.id, false
        from import_rows r,
             lateral (
               select c.id
                 from contacts c
                where c.id = r.given_id and c.organization_id is not distinct from $1::uuid
                limit 1) o
       where r.given_id is not null) x
   group by n`;

/** SQL: a batch's temporary tables (bench: import). */
const know = `
  update import_rows r
     set contact_id = x.owner, is_known = true
    from unnest($1::int[], $2::uuid[]) as x(n, owner)
   where r.n = x.n`;

/** An empty text changes nothing, as in an upsert. */
export const columns = 'name, phone_number, email, external_source, external_id, custom_fields';
export const wanted = `
  coalesce(nullif(r.name, ''), k.name),
  coalesce(nullif(r.phone_number, ''), k.phone_number),
  coalesce(nullif(r.email, ''), k.email),
  case when r.external_id = '' then k.external_source else r.external_source end,
  coalesce(nullif(r.external_id, ''), k.external_id),
  k.custom_fields || r.custom_fields`;

/** SQL: temporary tables (bench: import). By the primary key alone: without statistics the planner expects few contacts. */
const differences = `
  select r.n,
         (k.name, k.phone_number, k.email, k.external_source, k.external_id, k.custom_fields)
           is distinct from (${wanted}) as differs,
         case
           when r.custom_fields <> '{}'
            and (octet_length((k.custom_fields || r.custom_fields)::text) > $2
                 or (select count(*) from jsonb_object_keys(k.custom_fields || r.custom_fields)) > $3)
           then k.custom_fields || r.custom_fields end as large,
         case when r.tags = '{}' then 0 else (
           select count(distinct fold(x.name))::int
             from unnest(r.tags) as x(name)
            where not exists (
              select
                from tags t
                join contact_tags a
                  on a.organization_id = t.organization_id and a.tag_id = t.id and a.contact_id = r.contact_id
               where t.organization_id = $1 and fold(t.name) = fold(x.name))) end as lacking_tags,
         case when r.tags = '{}' then 0 else (
           select count(*)::int
             from contact_tags a
            where a.organization_id = $1 and a.contact_id = r.contact_id) end as own_tags
    from import_rows r,
         lateral (
           select *
             from contacts c
            where c.id = r.contact_id and c.organization_id is not distinct from $1::uuid
            limit 1) k
   where r.is_known`;

export const conflict = (owners: string[]): RowError => ({
  column: '',
  code: 'conflict',
  message: `The identities belong to different contacts: ${owners.join(', ')}`,
});
export const nobody: RowError = {
  column: idColumn,
  code: 'not_found',
  message: 'No contact has this id, and the row has no phone_number, email or external_id',
};
export const tooManyTags: RowError = {
  column: 'tags',
  code: 'limit_reached',
  message: `The contact would have more than ${maxTagsOfContact} tags`,
};
/** `large`: custom fields that may exceed the limit: the database counts a space after each colon and comma. */
type Difference = { n: number; differs: boolean; large: object | null; lacking_tags: number; own_tags: number };

/** What each row would change if it were the only one. */
export async function resolveRows(client: PoolClient, organizationId: string, rows: StagedRow[]): Promise<Map<number, Standing>> {
  const standings = new Map<number, Standing>(
    rows.map(({ n, identities }) => [n, identities.length > 0 ? { kind: 'new' } : { kind: 'refused', error: nobody }]),
  );
  const found = await client.query<{ n: number; owners: string[]; known: number }>(owners, [organizationId]);
  if (found.rows.length === 0) return standings;
  const known = found.rows.filter((row) => row.owners.length === 1);
  await client.query(know, [known.map(({ n }) => n), known.map((row) => row.owners[0])]);
  const compared = await client.query<Difference>(differences, [organizationId, maxCustomBytes, maxCustomKeys]);
  const seen = new Map(compared.rows.map((row) => [row.n, row]));
  const counts = new Map(rows.map(({ n, identities }) => [n, identities.length]));
  for (const { n, owners: all, known: had } of found.rows) {
    const own = seen.get(n);
    const fault = own?.large && faultOfCustom(own.large);
    const missing = (counts.get(n) ?? 0) - had;
    if (all.length > 1) standings.set(n, { kind: 'refused', error: conflict(all) });
    else if (!own) throw new Taken();
    else if (fault) standings.set(n, { kind: 'refused', error: { column: 'custom_fields', ...fault } });
    else if (own.lacking_tags > 0 && own.own_tags + own.lacking_tags > maxTagsOfContact)
      standings.set(n, { kind: 'refused', error: tooManyTags });
    else
      standings.set(n, {
        kind: 'known',
        owner: all[0]!,
        isChanged: own.differs || own.lacking_tags > 0 || missing > 0,
        lacksTags: own.lacking_tags > 0,
        missing,
      });
  }
  return standings;
}
