import { sql } from 'kysely';
import type { Database } from '../platform/database/database.ts';
import { type TablesOf, tables } from '../platform/database/tables.ts';
import { invalidField } from '../platform/errors.ts';
import type { LoginLimits } from '../platform/rate-limits/login.ts';
import { sha256 } from '../platform/secrets.ts';
import type { Invitation, Organization } from './organization.entity.ts';

type Parts = { database: Database; limits: LoginLimits };

/** By its token alone. The same 422 for every token that opens nothing: it tells nothing of a used or unknown one. Throws 429. */
export async function lookUpInvitation({ database, limits }: Parts, token: string, address: string) {
  await limits.look(address);
  const open = await tables<TablesOf<typeof Invitation | typeof Organization>>(database.em())
    .selectFrom('invitations')
    .innerJoin('organizations', 'organizations.id', 'invitations.organization_id')
    .select('organizations.name as organization_name')
    .where('invitations.hash', '=', sha256(token))
    .where('invitations.accepted_at', 'is', null)
    .where('invitations.revoked_at', 'is', null)
    .where('invitations.expires_at', '>', sql<string>`clock_timestamp()`)
    .executeTakeFirst();
  if (!open) throw invalidField('token', 'The invitation is not open: ask for a new one', 'token.not_open');
  return open;
}
