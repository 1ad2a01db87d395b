import { sql } from 'kysely';
import { requestMail } from '../mails/request.ts';
import { newSecretToken } from '../platform/credentials.ts';
import { fromNow, now } from '../platform/database/columns.ts';
import type { Em } from '../platform/database/database.ts';
import type { Own, OwnRecords } from '../platform/database/own.ts';
import { statement } from '../platform/database/statement.ts';
import { type RowOf, type TablesOf, tables } from '../platform/database/tables.ts';
import { AppError, invalidField, notFound } from '../platform/errors.ts';
import type { OwnTx } from '../platform/ledger/tx.ts';
import { list, type Page } from '../platform/listing/paging.ts';
import { type Secrets, sha256 } from '../platform/secrets.ts';
import { User } from '../users/user.entity.ts';
import { actorOf, type Caller, mustNotBeBelow, mustReach } from './caller.ts';
import { Invitation, Membership } from './organization.entity.ts';
import { getOrganization } from './organizations.ts';
import { recheckAuthority } from './recheck-authority.ts';
import { isAbove, type Role, roles, scopesOf } from './roles.ts';

const columns = ['id', 'email', 'role', 'invited_by', 'expires_at', 'accepted_at', 'revoked_at', 'created_at'] as const;
/** By the database's clock. */
const isExpired = sql<boolean>`expires_at <= clock_timestamp()`.as('is_expired');
export type InvitationRow = RowOf<typeof Invitation, (typeof columns)[number]> & { is_expired: boolean };

const validDays = 7;
const maxOpen = 200;
/** Replaced and revoked ones count too, so that repeated invitations cannot fill a mailbox. */
const maxADay = { ofOneEmail: 20, ofAll: 1_000 };

const invitations = list((select, _: object) => select(Invitation).select(columns).select(isExpired));
const memberByEmail = statement((select, { email }: { email: string }) =>
  select(Membership, User)
    .innerJoin('users', 'users.id', 'memberships.user_id')
    .select('memberships.user_id')
    .where('users.email', '=', email),
);
const countOfOpen = statement((select) =>
  select(Invitation)
    .select(sql<number>`count(*)::int`.as('total'))
    .where('accepted_at', 'is', null)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', sql<string>`clock_timestamp()`),
);
const invitationToRevoke = statement((select, { id }: { id: string }) =>
  select(Invitation).select(['role', 'accepted_at']).where('id', '=', id).forUpdate(),
);
const nameOfUser = statement((select, { userId }: { userId: string }) =>
  select(Membership, User)
    .innerJoin('users', 'users.id', 'memberships.user_id')
    .select('users.name')
    .where('memberships.user_id', '=', userId),
);

/** Replaces an open invitation of the same email. `token` is for callers who pass on the link. Throws 403, 409, 429. */
export async function invite(
  tx: OwnTx,
  asked: Caller,
  wanted: { email: string; role: Role },
  secrets: Secrets,
  isMailed = false,
): Promise<InvitationRow & { token: string }> {
  const caller = await recheckAuthority(tx, asked, 'members:write');
  mustReach(caller, wanted.role);
  const [member] = await memberByEmail(tx, wanted);
  if (member) throw new AppError('conflict', 'There is a member of that email already');
  await replaceOpen(tx, caller, wanted.email);
  const [count] = await countOfOpen(tx, {});
  if (count!.total >= maxOpen) throw new AppError('limit_reached', `An organization has at most ${maxOpen} open invitations`);
  await mustNotFlood(tx, wanted.email);
  const token = newSecretToken();
  const row = tx.create(Invitation, {
    ...wanted,
    hash: sha256(token),
    invited_by: actorOf(caller),
    is_mailed: isMailed,
    expires_at: fromNow(validDays, 'day'),
    accepted_at: null,
    revoked_at: null,
  });
  // The mail and the reply show the database's times.
  await tx.flush();
  const [by] = caller.userId ? await nameOfUser(tx, { userId: caller.userId }) : [];
  const { name: organization } = await getOrganization(tx);
  const expires_at = new Date(row.expires_at).toISOString();
  const data = { organization, invited_by: by?.name ?? '', role: wanted.role, expires_at };
  await requestMail(tx, secrets, { kind: 'invitation', recipient: wanted.email, data, token });
  return { ...row, is_expired: false, token };
}

/** A unique index allows at most one. */
async function replaceOpen(tx: OwnTx, caller: Caller, email: string) {
  const open = await tx.findOne(Invitation, { email, accepted_at: null, revoked_at: null });
  if (!open) return;
  mustNotBeBelow(caller, open.role);
  await tx.update(Invitation, { id: open.id }, { revoked_at: now() });
}

async function mustNotFlood(tx: OwnTx, email: string) {
  // SQL: both counts and the wait in one pass over a day's invitations.
  const [made] = await tx.sql<{ of_one: number; of_all: number; wait: number }>(
    `select count(*) filter (where email = $2)::int as of_one,
       count(*)::int as of_all,
       ceil(extract(epoch from
         coalesce(min(created_at) filter (where email = $2), min(created_at)) + interval '1 day' - clock_timestamp()
       ))::int as wait
     from invitations
     where organization_id = $1 and created_at > clock_timestamp() - interval '1 day'`,
    [email],
  );
  if (made!.of_one < maxADay.ofOneEmail && made!.of_all < maxADay.ofAll) return;
  const what =
    made!.of_one < maxADay.ofOneEmail ? `${maxADay.ofAll} invitations` : `${maxADay.ofOneEmail} invitations of one email`;
  throw new AppError('rate_limited', `An organization sends at most ${what} a day`, {
    retryAfterSeconds: Math.max(1, made!.wait),
  });
}

export const listInvitations = (own: Own, page: Page) => invitations(own, {}, page);

/** Idempotent. Throws 403 for a role above the caller's, 404, 409 for an accepted one. */
export async function revokeInvitation(tx: OwnTx, asked: Caller, id: string): Promise<void> {
  const caller = await recheckAuthority(tx, asked, 'members:write');
  const [row] = await invitationToRevoke(tx, { id });
  if (!row) throw notFound('Invitation');
  mustNotBeBelow(caller, row.role);
  if (row.accepted_at) throw new AppError('conflict', 'The invitation has been accepted: remove the member instead');
  await tx.update(Invitation, { id, revoked_at: null }, { revoked_at: now() });
}

/** Makers may know the links: revokes what role `left` could not invite, or all without one. Needs the organization's lock. */
export async function revokeInvitationsOf(tx: OwnRecords, makers: string[], left?: Role): Promise<void> {
  const mayInvite = left !== undefined && scopesOf[left].has('members:write');
  const outOfReach = roles.filter((role) => !mayInvite || isAbove(role, left));
  const open = { accepted_at: null, revoked_at: null };
  await tx.update(Invitation, { ...open, invited_by: { $in: makers }, role: { $in: outOfReach } }, { revoked_at: now() });
}

const found = ['id', 'organization_id', 'email', 'role', 'is_mailed'] as const;
export type OpenInvitation = RowOf<typeof Invitation, (typeof found)[number]>;

/** Of any organization. Throws 422 on `token`, with the reason. */
export async function openInvitation(em: Em, token: string, { isLocked = false } = {}): Promise<OpenInvitation> {
  const row = await tables<TablesOf<typeof Invitation>>(em)
    .selectFrom('invitations')
    .select(found)
    .select(['accepted_at', 'revoked_at', isExpired])
    .where('hash', '=', sha256(token))
    .$if(isLocked, (query) => query.forUpdate())
    .executeTakeFirst();
  if (!row) throw invalidField('token', 'The invitation is not valid', 'token.unknown');
  if (row.accepted_at) throw invalidField('token', 'The invitation has been accepted already', 'token.used');
  if (row.revoked_at) throw invalidField('token', 'The invitation was taken back or replaced by a newer one', 'token.revoked');
  if (row.is_expired) throw invalidField('token', 'The invitation has expired: ask for a new one', 'token.expired');
  return row;
}
