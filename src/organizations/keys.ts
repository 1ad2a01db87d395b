import { hintOf, newCredential } from '../accounts/credentials.ts';
import { type Em, query, type Source } from '../database.ts';
import { AppError, notFound } from '../errors.ts';
import { uuidv7 } from '../ids.ts';
import type { Tx } from '../ledger/transact.ts';
import { type Page, pageOfTable } from '../paging.ts';
import { sha256 } from '../secrets.ts';
import { actorOf, type Caller, mustHave, mustOutlive } from './caller.ts';
import { takeBackInvitations } from './invitations.ts';
import { lockOrganization } from './organizations.ts';
import { isAbove, type Role } from './roles.ts';
import type { Scope } from './scopes.ts';
import { standing } from './standing.ts';

export type KeyRow = {
  id: string;
  name: string;
  hint: string;
  scopes: string[];
  role: Role;
  expires_at: string | null;
  last_used_at: string | null;
  revoked_at: string | null;
  created_by: string;
  replaces_id: string | null;
  created_at: string;
};
type NewKey = {
  name: string;
  scopes: string[];
  role: Role;
  expiresAt: Date | string | null;
  createdBy: string;
  replacesId?: string;
};

const columns = 'id, name, hint, scopes, role, expires_at, last_used_at, revoked_at, created_by, replaces_id, created_at';
const mostKeys = 200;

/** The key is returned once; only its hash is stored. */
async function insertKey(source: Source, organizationId: string, wanted: NewKey): Promise<KeyRow & { key: string }> {
  const key = newCredential('kk_');
  const [row] = await query<KeyRow>(
    source,
    `insert into api_keys (id, organization_id, name, hint, hash, scopes, role, expires_at, created_by, replaces_id)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) returning ${columns}`,
    [
      uuidv7(),
      organizationId,
      wanted.name,
      hintOf(key),
      sha256(key),
      [...new Set(wanted.scopes)],
      wanted.role,
      wanted.expiresAt,
      wanted.createdBy,
      wanted.replacesId ?? null,
    ],
  );
  return { ...row!, key };
}

/** The operator's own way, past every rule of who may grant what. */
export async function createKey(
  source: Source,
  organizationId: string,
  name: string,
  scopes: Scope[],
  expiresAt: Date | null = null,
): Promise<KeyRow & { key: string }> {
  const [organization] = await query(source, 'select 1 from organizations where id = $1', [organizationId]);
  if (!organization) throw notFound('Organization');
  return insertKey(source, organizationId, { name, scopes, role: 'owner', expiresAt, createdBy: 'cli' });
}

/** Under the organization's lock. */
async function mustHaveRoom(tx: Tx, organizationId: string) {
  const [count] = await tx.query<{ total: number }>(
    `select count(*)::int as total from api_keys where organization_id = $1 and revoked_at is null and (expires_at is null or expires_at > clock_timestamp())`,
    [organizationId],
  );
  if (count!.total >= mostKeys) throw new AppError('limit_reached', `An organization has at most ${mostKeys} API keys`);
}

/** Its scopes are among the caller's, it gives no higher role, and it does not outlive what it was made with. */
export async function grantKey(tx: Tx, asked: Caller, wanted: { name: string; scopes: string[]; expiresAt: Date | null }) {
  const caller = await standing(tx, asked, 'api_keys:write');
  mustHave(caller, wanted.scopes);
  mustOutlive(caller, wanted.expiresAt);
  await mustHaveRoom(tx, caller.organizationId);
  return insertKey(tx.em, caller.organizationId, { ...wanted, role: caller.role, createdBy: actorOf(caller) });
}

export const listKeys = (em: Em, organizationId: string, page: Page) =>
  pageOfTable<KeyRow>(em, `select ${columns} from api_keys where organization_id = $1`, [organizationId], page);

export async function getKey(source: Source, organizationId: string, id: string): Promise<KeyRow> {
  const [row] = await query<KeyRow>(source, `select ${columns} from api_keys where organization_id = $1 and id = $2`, [
    organizationId,
    id,
  ]);
  if (!row) throw notFound('API key');
  return row;
}

/** With it go the invitations it has open. Asked again it stays as it is. */
export async function revokeKey(source: Source, organizationId: string, id: string): Promise<void> {
  await lockOrganization(source, organizationId);
  const rows = await query(
    source,
    `update api_keys set revoked_at = coalesce(revoked_at, clock_timestamp()) where organization_id = $1 and id = $2 returning id`,
    [organizationId, id],
  );
  if (rows.length === 0) throw notFound('API key');
  await takeBackInvitations(source, organizationId, `key:${id}`);
}

/**
 * A new key with the name, scopes and end of an old one, which goes on for so many hours: each has its own `last_used_at`, so that one
 * sees when nobody uses the old one any more. Only for those who could have made it.
 */
export async function rotateKey(tx: Tx, asked: Caller, id: string, overlapHours: number) {
  const caller = await standing(tx, asked, 'api_keys:write');
  const [old] = await tx.query<KeyRow & { has_ended: boolean; is_replaced: boolean }>(
    `select ${columns}, revoked_at is not null or (expires_at is not null and expires_at <= clock_timestamp()) as has_ended,
       exists (select 1 from api_keys later where later.organization_id = $1 and later.replaces_id = $2) as is_replaced
     from api_keys where organization_id = $1 and id = $2 for update`,
    [caller.organizationId, id],
  );
  if (!old) throw notFound('API key');
  mustHave(caller, old.scopes);
  if (isAbove(old.role, caller.role))
    throw new AppError('forbidden', `The key was made by an ${old.role}: your role is ${caller.role}`);
  mustOutlive(caller, old.expires_at === null ? null : new Date(old.expires_at));
  if (old.has_ended) throw new AppError('conflict', 'The API key was revoked or has expired: create a new one');
  // Its end is the overlap's by now: a second successor would end with it.
  if (old.is_replaced) throw new AppError('conflict', 'The API key was replaced already: rotate the one that replaces it');
  await mustHaveRoom(tx, caller.organizationId);
  const { name, scopes, role, expires_at: expiresAt } = old;
  await tx.query(
    `update api_keys set expires_at = least(expires_at, clock_timestamp() + $3::float8 * interval '1 hour') where organization_id = $1 and id = $2`,
    [caller.organizationId, id, overlapHours],
  );
  // At once: as if it were revoked, since that is what is done with a key that has leaked.
  if (overlapHours === 0) await takeBackInvitations(tx.em, caller.organizationId, `key:${id}`);
  return insertKey(tx.em, caller.organizationId, {
    name,
    scopes,
    role,
    expiresAt,
    createdBy: actorOf(caller),
    replacesId: id,
  });
}
