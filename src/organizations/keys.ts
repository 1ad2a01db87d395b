import { hintOf, newCredential } from '../accounts/credentials.ts';
import type { Em, Source } from '../platform/database/database.ts';
import { query } from '../platform/database/query.ts';
import { AppError, notFound } from '../platform/errors.ts';
import { uuidv7 } from '../platform/ids.ts';
import type { Tx } from '../platform/ledger/tx.ts';
import { type Page, pageOfTable } from '../platform/listing/paging.ts';
import { sha256 } from '../platform/secrets.ts';
import { actorOf, type Caller, mustHave, mustOutlive } from './caller.ts';
import { takeBackInvitations } from './invitations.ts';
import { keysMadeBy } from './makers.ts';
import { lockOrganization } from './organizations.ts';
import { standing } from './recheck-authority.ts';
import { isAbove, type Role } from './roles.ts';
import type { Scope } from './scopes.ts';

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

/** `madeBy`: only those that go back to this user, made in person or by a key of that user's. */
export const listKeys = (em: Em, organizationId: string, { madeBy }: { madeBy?: string }, page: Page) =>
  madeBy === undefined
    ? pageOfTable<KeyRow>(em, `select ${columns} from api_keys where organization_id = $1`, [organizationId], page)
    : pageOfTable<KeyRow>(
        em,
        `${keysMadeBy} select ${columns} from api_keys where organization_id = $1 and id in (select id from made)`,
        [organizationId, madeBy],
        page,
      );

export async function getKey(source: Source, organizationId: string, id: string): Promise<KeyRow> {
  const [row] = await query<KeyRow>(source, `select ${columns} from api_keys where organization_id = $1 and id = $2`, [
    organizationId,
    id,
  ]);
  if (!row) throw notFound('API key');
  return row;
}

/** The operator's own way. Throws 404. */
export async function revokeKey(source: Source, organizationId: string, id: string): Promise<void> {
  await getKey(source, organizationId, id);
  await revokeKeys(source, organizationId, [id]);
}

/** Also takes back the open invitations these keys made. Idempotent. */
async function revokeKeys(source: Source, organizationId: string, ids: string[]): Promise<void> {
  await lockOrganization(source, organizationId);
  await query(
    source,
    'update api_keys set revoked_at = coalesce(revoked_at, clock_timestamp()) where organization_id = $1 and id = any ($2::uuid[])',
    [organizationId, ids],
  );
  await takeBackInvitations(
    source,
    organizationId,
    ids.map((id) => `key:${id}`),
  );
}

/** Nobody replaces or ends a key that can do more than they may grant. */
function mustCover(caller: Caller, { scopes, role }: Pick<KeyRow, 'scopes' | 'role'>) {
  mustHave(caller, scopes);
  if (isAbove(role, caller.role)) throw new AppError('forbidden', `The key was made by an ${role}: your role is ${caller.role}`);
}

/** Only for those who could have made each of them; a key may always end itself. Idempotent; throws 404 for an unknown one. */
export async function endKeys(tx: Tx, asked: Caller, ids: string[]): Promise<void> {
  const others = ids.filter((id) => asked.by !== 'key' || id !== asked.id);
  if (others.length > 0) {
    const caller = await standing(tx, asked, 'api_keys:write');
    const keys = await tx.query<KeyRow>(`select ${columns} from api_keys where organization_id = $1 and id = any ($2::uuid[])`, [
      caller.organizationId,
      others,
    ]);
    if (keys.length < others.length) throw notFound('API key');
    for (const key of keys) mustCover(caller, key);
  }
  await revokeKeys(tx.em, asked.organizationId, ids);
}

export type KeysOfMember = { all: string[]; live: string[] };

/** The keys that go back to a user, and those of them that still work. */
export async function keysOfMember(tx: Tx, organizationId: string, userId: string): Promise<KeysOfMember> {
  const rows = await tx.query<{ id: string; is_live: boolean }>(
    `${keysMadeBy} select id, revoked_at is null and (expires_at is null or expires_at > clock_timestamp()) as is_live
     from api_keys where organization_id = $1 and id in (select id from made)`,
    [organizationId, userId],
  );
  return { all: rows.map(({ id }) => id), live: rows.filter(({ is_live }) => is_live).map(({ id }) => id) };
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
  mustCover(caller, old);
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
  if (overlapHours === 0) await takeBackInvitations(tx.em, caller.organizationId, [`key:${id}`]);
  return insertKey(tx.em, caller.organizationId, {
    name,
    scopes,
    role,
    expiresAt,
    createdBy: actorOf(caller),
    replacesId: id,
  });
}
