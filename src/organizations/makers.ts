import type { Source } from '../platform/database/database.ts';
import { query } from '../platform/database/query.ts';
import type { Role } from './roles.ts';

/** The person at the root of a key: who made it, or made the key that it was made with. `key:` and `user:` go before an id. */
const rootOfKey = `with recursive makers as (
    select created_by from api_keys where organization_id = $1 and id = $2
    union all
    select k.created_by from makers m join api_keys k
      on k.organization_id = $1 and k.id = case when m.created_by like 'key:%' then substr(m.created_by, 5)::uuid end)
  select m.created_by = 'cli' as is_operator, p.role from makers m left join memberships p
    on p.organization_id = $1 and p.user_id = case when m.created_by like 'user:%' then substr(m.created_by, 6)::uuid end
  where m.created_by not like 'key:%'`;

/**
 * The present role of the person a key goes back to; undefined: that person is no member any more. A key made by command line has the
 * operator behind it, who is above all roles.
 */
export async function roleBehindKey(source: Source, organizationId: string, keyId: string): Promise<Role | undefined> {
  const [root] = await query<{ is_operator: boolean; role: Role | null }>(source, rootOfKey, [organizationId, keyId]);
  return root?.is_operator ? 'owner' : (root?.role ?? undefined);
}

/** A statement's `made (id)`: every key that goes back to the person `$2`, in the organization `$1`. */
export const keysMadeBy = `with recursive made as (
    select id from api_keys where organization_id = $1 and created_by = 'user:' || $2
    union all
    select k.id from made m join api_keys k on k.organization_id = $1 and k.created_by = 'key:' || m.id)`;
