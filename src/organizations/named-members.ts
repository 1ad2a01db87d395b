import type { Own } from '../platform/database/own.ts';

/** SQL: a set in the order of ids; they stay members until the transaction ends. */
const named = `
  select m.user_id as id, lower(u.email) as email
    from memberships m
    join users u on u.id = m.user_id
   where m.organization_id = $1
     and (m.user_id::text = any($2::text[]) or lower(u.email) = any($2::text[]))
   order by m.user_id
     for key share of m`;

/** The members with these ids or email addresses, all in lower case, by what names them. */
export async function membersNamed(own: Own, names: string[]): Promise<Map<string, string>> {
  if (names.length === 0) return new Map();
  const rows = await own.sql<{ id: string; email: string }>(named, [[...new Set(names)]]);
  return new Map(rows.flatMap(({ id, email }) => [[id, id] as const, [email, id] as const]));
}
