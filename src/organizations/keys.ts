import { raw } from '@mikro-orm/core';
import { sql } from 'kysely';
import { hintOf, newCredential } from '../platform/credentials.ts';
import { now } from '../platform/database/columns.ts';
import { inForce } from '../platform/database/in-force.ts';
import type { Own, OwnRecords } from '../platform/database/own.ts';
import { statement } from '../platform/database/statement.ts';
import type { RowOf } from '../platform/database/tables.ts';
import { AppError, notFound } from '../platform/errors.ts';
import type { OwnTx } from '../platform/ledger/tx.ts';
import { list, type Page } from '../platform/listing/paging.ts';
import { sha256 } from '../platform/secrets.ts';
import { actorOf, type Caller, mustHave, mustOutlive } from './caller.ts';
import { revokeInvitationsOf } from './invitations.ts';
import { keysMadeBy, type Maker } from './makers.ts';
import { ApiKey } from './organization.entity.ts';
import { getOrganization, lockOrganization } from './organizations.ts';
import { recheckAuthority } from './recheck-authority.ts';
import { isAbove } from './roles.ts';
import type { Scope } from './scopes.ts';

const columns = [
  'id',
  'name',
  'hint',
  'scopes',
  'role',
  'expires_at',
  'last_used_at',
  'revoked_at',
  'created_by',
  'replaces_id',
  'created_at',
] as const;
export type KeyRow = RowOf<typeof ApiKey, (typeof columns)[number]>;
type NewKey = Pick<KeyRow, 'name' | 'scopes' | 'role' | 'expires_at' | 'created_by' | 'replaces_id'>;

const maxKeys = 200;

const keys = list((select, _: object) => select(ApiKey).select(columns));
const keysOfMaker = list((select, maker: Maker) => select(ApiKey).select(columns).where('id', 'in', keysMadeBy(maker)));
const keyById = statement((select, { id }: { id: string }) => select(ApiKey).select(columns).where('id', '=', id));
const successor = sql<boolean>`exists (
  select 1 from api_keys later
  where later.organization_id = api_keys.organization_id and later.replaces_id = api_keys.id)`;
const keyToRotate = statement((select, { id }: { id: string }) =>
  select(ApiKey)
    .select(columns)
    .select((key) => [
      key.not(key.and([key('revoked_at', 'is', null), inForce('expires_at')])).as('has_ended'),
      successor.as('is_replaced'),
    ])
    .where('id', '=', id)
    .forUpdate(),
);
const countOfLive = statement((select) =>
  select(ApiKey).select(sql<number>`count(*)::int`.as('total')).where('revoked_at', 'is', null).where(inForce('expires_at')),
);
const keysOfMemberWithState = statement((select, maker: Maker) =>
  select(ApiKey)
    .select((key) => ['id', key.and([key('revoked_at', 'is', null), inForce('expires_at')]).as('is_live')])
    .where('id', 'in', keysMadeBy(maker)),
);

async function insertKey(tx: OwnRecords, wanted: NewKey): Promise<KeyRow & { key: string }> {
  const key = newCredential('kk_');
  const scopes = [...new Set(wanted.scopes)];
  const secret = { hint: hintOf(key), hash: sha256(key) };
  const row = tx.create(ApiKey, { ...wanted, ...secret, scopes, last_used_at: null, revoked_at: null });
  // The reply shows the database's times.
  await tx.flush();
  return { ...row, key };
}

/** For the operator: no check of who may grant what. Throws 404. */
export async function createKey(
  tx: OwnRecords,
  name: string,
  scopes: Scope[],
  expiresAt: Date | null = null,
): Promise<KeyRow & { key: string }> {
  await getOrganization(tx);
  const expires_at = expiresAt?.toISOString() ?? null;
  return insertKey(tx, { name, scopes, role: 'owner', expires_at, created_by: 'cli', replaces_id: null });
}

/** Needs the organization's lock, which `recheckAuthority` takes. */
async function mustHaveRoom(tx: OwnTx) {
  const [count] = await countOfLive(tx, {});
  if (count!.total >= maxKeys) throw new AppError('limit_reached', `An organization has at most ${maxKeys} API keys`);
}

export async function grantKey(tx: OwnTx, asked: Caller, wanted: { name: string; scopes: string[]; expiresAt: Date | null }) {
  const caller = await recheckAuthority(tx, asked, 'api_keys:write');
  const { name, scopes, expiresAt } = wanted;
  mustHave(caller, scopes);
  mustOutlive(caller, expiresAt);
  await mustHaveRoom(tx);
  const expires_at = expiresAt?.toISOString() ?? null;
  return insertKey(tx, { name, scopes, role: caller.role, expires_at, created_by: actorOf(caller), replaces_id: null });
}

/** `madeBy`: only keys that this user made, in person or through another key. */
export const listKeys = (own: Own, { madeBy }: { madeBy?: string }, page: Page) =>
  madeBy === undefined ? keys(own, {}, page) : keysOfMaker(own, { organizationId: own.organizationId, userId: madeBy }, page);

export async function getKey(own: Own, id: string): Promise<KeyRow> {
  const [row] = await keyById(own, { id });
  if (!row) throw notFound('API key');
  return row;
}

export async function revokeKey(tx: OwnRecords, id: string): Promise<void> {
  await getKey(tx, id);
  await revokeKeys(tx, [id]);
}

/** Also revokes the open invitations these keys made. Idempotent. */
async function revokeKeys(tx: OwnRecords, ids: string[]): Promise<void> {
  await lockOrganization(tx);
  await tx.update(ApiKey, { id: { $in: ids }, revoked_at: null }, { revoked_at: now() });
  await revokeInvitationsOf(
    tx,
    ids.map((id) => `key:${id}`),
  );
}

/** Only callers who could have made a key may replace or end it. */
function mustCover(caller: Caller, { scopes, role }: Pick<KeyRow, 'scopes' | 'role'>) {
  mustHave(caller, scopes);
  if (isAbove(role, caller.role)) throw new AppError('forbidden', `The key was made by an ${role}: your role is ${caller.role}`);
}

/** A key may always end itself. Idempotent. Throws 403, 404. */
export async function endKeys(tx: OwnTx, asked: Caller, ids: string[]): Promise<void> {
  const others = ids.filter((id) => asked.by !== 'key' || id !== asked.id);
  if (others.length > 0) {
    const caller = await recheckAuthority(tx, asked, 'api_keys:write');
    const found = await tx.find(ApiKey, { id: { $in: others } });
    if (found.length < others.length) throw notFound('API key');
    for (const key of found) mustCover(caller, key);
  }
  await revokeKeys(tx, ids);
}

export type KeysOfMember = { all: string[]; live: string[] };

export async function keysOfMember(tx: OwnTx, userId: string): Promise<KeysOfMember> {
  const rows = await keysOfMemberWithState(tx, { organizationId: tx.organizationId, userId });
  return { all: rows.map(({ id }) => id), live: rows.filter(({ is_live }) => is_live).map(({ id }) => id) };
}

/** The old key works for `overlapHours` more; its own `last_used_at` shows whether somebody still uses it. */
export async function rotateKey(tx: OwnTx, asked: Caller, id: string, overlapHours: number) {
  const caller = await recheckAuthority(tx, asked, 'api_keys:write');
  const [old] = await keyToRotate(tx, { id });
  if (!old) throw notFound('API key');
  mustCover(caller, old);
  mustOutlive(caller, old.expires_at === null ? null : new Date(old.expires_at));
  if (old.has_ended) throw new AppError('conflict', 'The API key was revoked or has expired: create a new one');
  // The old key ends with its overlap, and a second successor would end at the same time.
  if (old.is_replaced) throw new AppError('conflict', 'The API key was replaced already: rotate the one that replaces it');
  await mustHaveRoom(tx);
  const overlapEnd = raw(`least(expires_at, clock_timestamp() + ? * interval '1 hour')`, [overlapHours]);
  await tx.update(ApiKey, { id }, { expires_at: overlapEnd as unknown as string });
  // Without an overlap the key has probably leaked: treat it as revoked.
  if (overlapHours === 0) await revokeInvitationsOf(tx, [`key:${id}`]);
  const { name, scopes, role, expires_at } = old;
  return insertKey(tx, { name, scopes, role, expires_at, created_by: actorOf(caller), replaces_id: id });
}
