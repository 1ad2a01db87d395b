import { createKey, type KeyRow, revokeKey } from '../organizations/keys.ts';
import { ApiKey } from '../organizations/organization.entity.ts';
import { getOrganization } from '../organizations/organizations.ts';
import type { Scope } from '../organizations/scopes.ts';
import type { Own } from '../platform/database/own.ts';
import { type TablesOf, tables } from '../platform/database/tables.ts';
import { notFound } from '../platform/errors.ts';
import type { Transact } from '../platform/ledger/transact.ts';
import { record } from './record.ts';

type Wanted = { name: string; scopes: Scope[]; expiresAt?: Date };

export const issueKey = (transact: Transact, organizationId: string, { name, scopes, expiresAt }: Wanted) =>
  transact({}, async (tx) => {
    const made = await createKey(tx.of(organizationId), name, scopes, expiresAt);
    await record(tx, { organizationId, action: 'api-keys.create', subject: `api_key:${made.id}`, details: { name, scopes } });
    return made;
  });

export type ListedKey = Omit<KeyRow, 'role' | 'replaces_id'>;

/** Revoked and expired keys too. Throws 404. */
export async function listKeysOf(own: Own): Promise<ListedKey[]> {
  await getOrganization(own);
  return own
    .select(ApiKey)
    .select(['id', 'hint', 'name', 'scopes', 'last_used_at', 'expires_at', 'revoked_at', 'created_by', 'created_at'])
    .orderBy('created_at')
    .orderBy('id')
    .execute();
}

/** False: the key was revoked before. Throws 404. */
export const withdrawKey = (transact: Transact, id: string): Promise<boolean> =>
  transact({}, async (tx) => {
    const key = await tables<TablesOf<typeof ApiKey>>(tx.em)
      .selectFrom('api_keys')
      .select(['organization_id', 'revoked_at'])
      .where('id', '=', id)
      .forUpdate()
      .executeTakeFirst();
    if (!key) throw notFound('API key');
    if (key.revoked_at) return false;
    await revokeKey(tx.of(key.organization_id), id);
    await record(tx, { organizationId: key.organization_id, action: 'api-keys.delete', subject: `api_key:${id}` });
    return true;
  });
