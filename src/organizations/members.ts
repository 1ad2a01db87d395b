import type { Em, Source } from '../platform/database/database.ts';
import { query } from '../platform/database/query.ts';
import { AppError, notFound } from '../platform/errors.ts';
import type { Tx } from '../platform/ledger/tx.ts';
import { type Page, pageOfTable } from '../platform/listing/paging.ts';
import { type Caller, mustReach } from './caller.ts';
import { takeBackInvitations } from './invitations.ts';
import { endKeys, keysOfMember } from './keys.ts';
import { standing } from './recheck-authority.ts';
import { isAbove, type Role } from './roles.ts';

/** A member; its id is the user's. */
export type MemberRow = { id: string; name: string; email: string; role: Role; created_at: string; updated_at: string };

const members = `select m.user_id as id, u.name, u.email, m.role, m.created_at, m.updated_at from memberships m
  join users u on u.id = m.user_id where m.organization_id = $1`;

export const listMembers = (em: Em, organizationId: string, page: Page) =>
  pageOfTable<MemberRow>(em, members, [organizationId], page);

export async function getMember(source: Source, organizationId: string, userId: string): Promise<MemberRow> {
  const [row] = await query<MemberRow>(source, `${members} and m.user_id = $2`, [organizationId, userId]);
  if (!row) throw notFound('Member');
  return row;
}

/** Returns false when he is a member already, whatever his role. */
export async function addMember(source: Source, organizationId: string, userId: string, role: Role): Promise<boolean> {
  const rows = await query(
    source,
    'insert into memberships (organization_id, user_id, role) values ($1, $2, $3) on conflict do nothing returning user_id',
    [organizationId, userId, role],
  );
  return rows.length > 0;
}

/** Throws 403 when the present or the new role is above the caller's, 409 when it is the last owner's. */
export async function changeRole(tx: Tx, asked: Caller, userId: string, role: Role): Promise<MemberRow> {
  const caller = await standing(tx, asked, 'members:write');
  const { organizationId } = caller;
  const member = await reachedMember(tx, caller, userId);
  mustReach(caller, role);
  if (isAbove(member.role, role)) await mustNotBeLastOwner(tx, organizationId, member);
  await tx.query(
    'update memberships set role = $3, updated_at = clock_timestamp() where organization_id = $1 and user_id = $2 and role <> $3',
    [organizationId, userId, role],
  );
  if (isAbove(member.role, role)) {
    const { all } = await keysOfMember(tx, organizationId, userId);
    await takeBackInvitations(tx.em, organizationId, makersOf(userId, all), role);
  }
  return getMember(tx.em, organizationId, userId);
}

const makersOf = (userId: string, keyIds: string[]) => [`user:${userId}`, ...keyIds.map((id) => `key:${id}`)];

/** The API keys of somebody who was removed: those that were revoked, and those that work on. */
export type KeysAfterRemoval = { revoked: string[]; left: string[] };

/**
 * Also ends the member's bearer tokens for the organization and takes back the open invitations made in person or by a key. Keys the member
 * made work on and grant nothing, or are revoked too: 403 where the caller may not revoke one of them.
 */
export async function removeMember(
  tx: Tx,
  asked: Caller,
  userId: string,
  { revokeKeys = false }: { revokeKeys?: boolean } = {},
): Promise<KeysAfterRemoval> {
  const caller = await standing(tx, asked, 'members:write');
  const member = await reachedMember(tx, caller, userId);
  await mustNotBeLastOwner(tx, caller.organizationId, member);
  const { all, live } = await keysOfMember(tx, caller.organizationId, userId);
  if (revokeKeys && live.length > 0) await endKeys(tx, asked, live);
  await tx.query('delete from memberships where organization_id = $1 and user_id = $2', [caller.organizationId, userId]);
  await takeBackInvitations(tx.em, caller.organizationId, makersOf(userId, all));
  return revokeKeys ? { revoked: live, left: [] } : { revoked: [], left: live };
}

async function reachedMember(tx: Tx, caller: Caller, userId: string): Promise<MemberRow> {
  const member = await getMember(tx.em, caller.organizationId, userId);
  mustReach(caller, member.role);
  return member;
}

async function mustNotBeLastOwner(tx: Tx, organizationId: string, { id, role }: MemberRow) {
  if (role !== 'owner') return;
  const [other] = await tx.query(
    `select 1 from memberships where organization_id = $1 and role = 'owner' and user_id <> $2 limit 1`,
    [organizationId, id],
  );
  if (!other) throw new AppError('conflict', 'An organization keeps its last owner: make somebody else an owner first');
}
