import { type Expression, sql } from 'kysely';
import type { Own } from '../platform/database/own.ts';
import type { Role } from './roles.ts';

/** SQL: recursive: follows `created_by` from key to key, up to a person (`user:`) or the operator. */
const rootOfKey = `
  with recursive makers as (
    select created_by
    from api_keys
    where organization_id = $1
      and id = $2
    union all
    select k.created_by
    from makers m
    join api_keys k on k.organization_id = $1
      and k.id = case when m.created_by like 'key:%' then substr(m.created_by, 5)::uuid end
  )
  select m.created_by = 'cli' as is_operator, p.role
  from makers m
  left join memberships p on p.organization_id = $1
    and p.user_id = case when m.created_by like 'user:%' then substr(m.created_by, 6)::uuid end
  where m.created_by not like 'key:%'`;

/** Undefined: the person behind the key is no longer a member. A key made on the command line has the role owner. */
export async function roleBehindKey(own: Own, keyId: string): Promise<Role | undefined> {
  const [root] = await own.sql<{ is_operator: boolean; role: Role | null }>(rootOfKey, [keyId]);
  return root?.is_operator ? 'owner' : (root?.role ?? undefined);
}

export type Maker = { organizationId: string; userId: string };

/** SQL: recursive: all keys that a user made, in person or through another key. */
export const keysMadeBy = ({ organizationId, userId }: Maker): Expression<string> => sql<string>`(
  with recursive made as (
    select id
    from api_keys
    where organization_id = ${organizationId}
      and created_by = 'user:' || ${userId}::text
    union all
    select k.id
    from made m
    join api_keys k on k.organization_id = ${organizationId} and k.created_by = 'key:' || m.id
  )
  select id from made)`;
