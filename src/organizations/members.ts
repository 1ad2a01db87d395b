import { now } from '../platform/database/columns.ts';
import type { Own, OwnRecords, Select } from '../platform/database/own.ts';
import { statement } from '../platform/database/statement.ts';
import { AppError, notFound } from '../platform/errors.ts';
import type { OwnTx } from '../platform/ledger/tx.ts';
import { list, type Page } from '../platform/listing/paging.ts';
import { User } from '../users/user.entity.ts';
import { type Caller, mustReach } from './caller.ts';
import { revokeInvitationsOf } from './invitations.ts';
import { endKeys, keysOfMember } from './keys.ts';
import { Membership } from './organization.entity.ts';
import { recheckAuthority } from './recheck-authority.ts';
import { isAbove, type Role } from './roles.ts';

const members = (select: Select) =>
  select(Membership, User)
    .innerJoin('users', 'users.id', 'memberships.user_id')
    .select(['memberships.user_id as id', 'users.name', 'users.email', 'memberships.role'])
    .select(['memberships.created_at', 'memberships.updated_at']);
const memberById = statement((select, { userId }: { userId: string }) =>
  members(select).where('memberships.user_id', '=', userId),
);
const memberForReference = statement((select, { userId }: { userId: string }) =>
  select(Membership).select('user_id').where('user_id', '=', userId).forKeyShare(),
);
const membership = statement((select, { userId }: { userId: string }) =>
  select(Membership).select('user_id').where('user_id', '=', userId),
);
const otherOwner = statement((select, { userId }: { userId: string }) =>
  select(Membership).select('user_id').where('role', '=', 'owner').where('user_id', '<>', userId).limit(1),
);

/** Whoever refers to the member has committed before, or waits and finds none. */
const memberToLeave = statement((select, { userId }: { userId: string }) =>
  select(Membership).select('user_id').where('user_id', '=', userId).forUpdate(),
);

/** `id` is the user's. */
export type MemberRow = Awaited<ReturnType<typeof memberById>>[number];

const membersByPage = list((select, _: object) => members(select), {
  createdAt: 'memberships.created_at',
  id: 'memberships.user_id',
});
export const listMembers = (own: Own, page: Page) => membersByPage(own, {}, page);

export async function getMember(own: Own, userId: string): Promise<MemberRow> {
  const [row] = await memberById(own, { userId });
  if (!row) throw notFound('Member');
  return row;
}

/** For a record that refers to the member, whom the database looks for once more when it is written. */
export async function isMember(own: Own, userId: string): Promise<boolean> {
  const found = await membership(own, { userId });
  return found.length > 0;
}

/** For a record that refers to the member, who cannot be removed until the transaction ends. False: no such member. */
export async function holdMember(tx: OwnRecords, userId: string): Promise<boolean> {
  const held = await memberForReference(tx, { userId });
  return held.length > 0;
}

/** False: already a member; the role stays. */
export async function addMember(tx: OwnRecords, userId: string, role: Role): Promise<boolean> {
  // SQL: on conflict do nothing.
  const rows = await tx.sql(
    `insert into memberships (organization_id, user_id, role) values ($1, $2, $3)
     on conflict do nothing
     returning user_id`,
    [userId, role],
  );
  return rows.length > 0;
}

/** Throws 403 for a present or new role above the caller's, 409 for the last owner. */
export async function changeRole(tx: OwnTx, asked: Caller, userId: string, role: Role): Promise<MemberRow> {
  const caller = await recheckAuthority(tx, asked, 'members:write');
  const member = await reachedMember(tx, caller, userId);
  mustReach(caller, role);
  if (isAbove(member.role, role)) await mustNotBeLastOwner(tx, member);
  await tx.update(Membership, { user_id: userId, role: { $ne: role } }, { role, updated_at: now() });
  if (isAbove(member.role, role)) {
    const { all } = await keysOfMember(tx, userId);
    await revokeInvitationsOf(tx, makersOf(userId, all), role);
  }
  return getMember(tx, userId);
}

const makersOf = (userId: string, keyIds: string[]) => [`user:${userId}`, ...keyIds.map((id) => `key:${id}`)];

/** `left`: the keys that still work. */
export type KeysAfterRemoval = { revoked: string[]; left: string[] };

/**
 * Revokes their open invitations too. Their keys keep working but cannot grant, or are revoked: 403 if the caller may not. `released`: changes
 * what refers to the member, which the database would empty without history.
 */
export async function removeMember(
  tx: OwnTx,
  asked: Caller,
  userId: string,
  { revokeKeys = false, released }: { revokeKeys?: boolean; released?: () => Promise<void> } = {},
): Promise<KeysAfterRemoval> {
  const caller = await recheckAuthority(tx, asked, 'members:write');
  const member = await reachedMember(tx, caller, userId);
  await mustNotBeLastOwner(tx, member);
  const { all, live } = await keysOfMember(tx, userId);
  if (revokeKeys && live.length > 0) await endKeys(tx, asked, live);
  await memberToLeave(tx, { userId });
  await released?.();
  await tx.delete(Membership, { user_id: userId });
  await revokeInvitationsOf(tx, makersOf(userId, all));
  return revokeKeys ? { revoked: live, left: [] } : { revoked: [], left: live };
}

async function reachedMember(tx: OwnTx, caller: Caller, userId: string): Promise<MemberRow> {
  const member = await getMember(tx, userId);
  mustReach(caller, member.role);
  return member;
}

async function mustNotBeLastOwner(tx: OwnTx, { id, role }: MemberRow) {
  if (role !== 'owner') return;
  const [other] = await otherOwner(tx, { userId: id });
  if (!other) throw new AppError('conflict', 'An organization keeps its last owner: make somebody else an owner first');
}
