import { createKey, type KeyRow, revokeKey } from '../organizations/keys.ts';
import { getOrganization } from '../organizations/organizations.ts';
import type { Scope } from '../organizations/scopes.ts';
import type { Source } from '../platform/database/database.ts';
import { query } from '../platform/database/query.ts';
import { notFound } from '../platform/errors.ts';
import type { Transact } from '../platform/ledger/transact.ts';
import { record } from './record.ts';

type Wanted = { name: string; scopes: Scope[]; expiresAt?: Date };

/** The key itself is in what is returned, and nowhere else. Throws 404 for an unknown organization. */
export const issueKey = (transact: Transact, organizationId: string, { name, scopes, expiresAt }: Wanted) =>
  transact({}, async (tx) => {
    const made = await createKey(tx.em, organizationId, name, scopes, expiresAt);
    await record(tx, { organizationId, action: 'api-keys.create', subject: `api_key:${made.id}`, details: { name, scopes } });
    return made;
  });

export type ListedKey = Omit<KeyRow, 'role' | 'replaces_id'>;

/** All of an organization's, revoked and expired ones too, oldest first. Throws 404. */
export async function listKeysOf(source: Source, organizationId: string): Promise<ListedKey[]> {
  await getOrganization(source, organizationId);
  return query<ListedKey>(
    source,
    `select id, hint, name, scopes, last_used_at, expires_at, revoked_at, created_by, created_at from api_keys
     where organization_id = $1 order by created_at, id`,
    [organizationId],
  );
}

/** Whosever it is. Returns false when it was revoked before; throws 404. */
export const withdrawKey = (transact: Transact, id: string): Promise<boolean> =>
  transact({}, async (tx) => {
    const [key] = await tx.query<{ organization_id: string; is_revoked: boolean }>(
      'select organization_id, revoked_at is not null as is_revoked from api_keys where id = $1 for update',
      [id],
    );
    if (!key) throw notFound('API key');
    if (key.is_revoked) return false;
    await revokeKey(tx.em, key.organization_id, id);
    await record(tx, { organizationId: key.organization_id, action: 'api-keys.delete', subject: `api_key:${id}` });
    return true;
  });
