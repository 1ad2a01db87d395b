import type { Own } from '../platform/database/own.ts';

/** SQL: the length of the list differs, and the statement is prepared once. */
const withoutOwner = `
  select x.id
    from unnest($2::text[]) with ordinality as x(id, place)
   where not exists (
     select 1
       from flows f
      where f.organization_id = $1
        and f.provider_flow_id = x.id)
   order by x.place`;

/** Those of the provider's ids that no flow of ours has. */
export async function ownerless(own: Own, ids: string[]): Promise<string[]> {
  const rows = await own.sql<{ id: string }>(withoutOwner, [ids]);
  return rows.map(({ id }) => id);
}
