import { newSecretToken } from '../accounts/credentials.ts';
import { requestMail } from '../mails/request.ts';
import type { Em, Source } from '../platform/database/database.ts';
import { query } from '../platform/database/query.ts';
import { AppError, invalidField, notFound } from '../platform/errors.ts';
import { uuidv7 } from '../platform/ids.ts';
import type { Tx } from '../platform/ledger/tx.ts';
import { type Page, pageOfTable } from '../platform/listing/paging.ts';
import { type Secrets, sha256 } from '../platform/secrets.ts';
import { actorOf, type Caller, mustNotBeBelow, mustReach } from './caller.ts';
import { getOrganization } from './organizations.ts';
import { standing } from './recheck-authority.ts';
import { isAbove, type Role, roles, scopesOf } from './roles.ts';

export type InvitationRow = {
  id: string;
  email: string;
  role: Role;
  invited_by: string;
  expires_at: string;
  accepted_at: string | null;
  revoked_at: string | null;
  created_at: string;
  /** By the database's clock, as the link itself is judged. */
  is_expired: boolean;
};

const columns =
  'id, email, role, invited_by, expires_at, accepted_at, revoked_at, created_at, expires_at <= clock_timestamp() as is_expired';
const validDays = 7;
const mostOpen = 200;
/** Replaced and taken back ones too: nobody's mailbox is filled by inviting them again and again. */
const mostADay = { ofOneEmail: 20, ofAll: 1_000 };

/**
 * Mails a one-time link. An open invitation of the same email is replaced by the new one. Throws 403 for a role above the caller's, 409
 * for a member, 429 for too many. `token` is for those who carry the link themselves, where no mail is sent: `isMailed` false.
 */
export async function invite(
  tx: Tx,
  asked: Caller,
  wanted: { email: string; role: Role },
  secrets: Secrets,
  isMailed = false,
): Promise<InvitationRow & { token: string }> {
  const caller = await standing(tx, asked, 'members:write');
  mustReach(caller, wanted.role);
  const { organizationId } = caller;
  const [member] = await tx.query(
    'select 1 from memberships m join users u on u.id = m.user_id where m.organization_id = $1 and u.email = $2',
    [organizationId, wanted.email],
  );
  if (member) throw new AppError('conflict', 'There is a member of that email already');
  const replaced = await tx.query<{ role: Role }>(
    `update invitations set revoked_at = clock_timestamp() where organization_id = $1 and email = $2 and accepted_at is null and revoked_at is null
     returning role`,
    [organizationId, wanted.email],
  );
  for (const { role } of replaced) mustNotBeBelow(caller, role);
  const [count] = await tx.query<{ total: number }>(
    `select count(*)::int as total from invitations where organization_id = $1 and accepted_at is null and revoked_at is null and expires_at > clock_timestamp()`,
    [organizationId],
  );
  if (count!.total >= mostOpen) throw new AppError('limit_reached', `An organization has at most ${mostOpen} open invitations`);
  await mustNotFlood(tx, organizationId, wanted.email);
  const token = newSecretToken();
  const [row] = await tx.query<InvitationRow>(
    `insert into invitations (id, organization_id, email, role, hash, invited_by, is_mailed, expires_at)
     values ($1, $2, $3, $4, $5, $6, $7, clock_timestamp() + ${validDays} * interval '1 day') returning ${columns}`,
    [uuidv7(), organizationId, wanted.email, wanted.role, sha256(token), actorOf(caller), isMailed],
  );
  const [by] = caller.userId ? await tx.query<{ name: string }>('select name from users where id = $1', [caller.userId]) : [];
  const { name: organization } = await getOrganization(tx.em, organizationId);
  await requestMail(tx, secrets, {
    organizationId,
    kind: 'invitation',
    recipient: wanted.email,
    data: {
      organization,
      invited_by: by?.name ?? '',
      role: wanted.role,
      expires_at: new Date(row!.expires_at).toISOString(),
    },
    token,
  });
  return { ...row!, token };
}

async function mustNotFlood(tx: Tx, organizationId: string, email: string) {
  const [made] = await tx.query<{ of_one: number; of_all: number; wait: number }>(
    `select count(*) filter (where email = $2)::int as of_one, count(*)::int as of_all,
       ceil(extract(epoch from coalesce(min(created_at) filter (where email = $2), min(created_at)) + interval '1 day' - clock_timestamp()))::int as wait
     from invitations where organization_id = $1 and created_at > clock_timestamp() - interval '1 day'`,
    [organizationId, email],
  );
  if (made!.of_one < mostADay.ofOneEmail && made!.of_all < mostADay.ofAll) return;
  const what =
    made!.of_one < mostADay.ofOneEmail ? `${mostADay.ofAll} invitations` : `${mostADay.ofOneEmail} invitations of one email`;
  throw new AppError('rate_limited', `An organization sends at most ${what} a day`, {
    retryAfterSeconds: Math.max(1, made!.wait),
  });
}

export const listInvitations = (em: Em, organizationId: string, page: Page) =>
  pageOfTable<InvitationRow>(em, `select ${columns} from invitations where organization_id = $1`, [organizationId], page);

/** Asked again it stays as it is; one that was accepted cannot be taken back. Throws 403 when its role is above the caller's. */
export async function revokeInvitation(tx: Tx, asked: Caller, id: string): Promise<void> {
  const caller = await standing(tx, asked, 'members:write');
  const [row] = await tx.query<InvitationRow>(
    `select ${columns} from invitations where organization_id = $1 and id = $2 for update`,
    [caller.organizationId, id],
  );
  if (!row) throw notFound('Invitation');
  mustNotBeBelow(caller, row.role);
  if (row.accepted_at) throw new AppError('conflict', 'The invitation has been accepted: remove the member instead');
  await tx.query(
    'update invitations set revoked_at = coalesce(revoked_at, clock_timestamp()) where organization_id = $1 and id = $2',
    [caller.organizationId, id],
  );
}

/**
 * Takes back the open invitations of these makers (`user:<id>`, `key:<id>`) that they could not make any more: with the role `left`, or,
 * without one, at all. Whoever made an invitation may know its link, and would come back by it. Under the organization's lock.
 */
export async function takeBackInvitations(
  source: Source,
  organizationId: string,
  invitedBy: string[],
  left?: Role,
): Promise<void> {
  const mayInvite = left !== undefined && scopesOf[left].has('members:write');
  await query(
    source,
    `update invitations set revoked_at = clock_timestamp()
     where organization_id = $1 and invited_by = any ($2::text[]) and role = any ($3::text[]) and accepted_at is null and revoked_at is null`,
    [organizationId, invitedBy, roles.filter((role) => !mayInvite || isAbove(role, left))],
  );
}

export type OpenInvitation = { id: string; organization_id: string; email: string; role: Role; is_mailed: boolean };

/** The invitation a token opens. Throws 422 on `token`, saying whether it never was, was used, taken back or is too old. */
export async function openInvitation(em: Em, token: string, lock = ''): Promise<OpenInvitation> {
  const [row] = await query<OpenInvitation & { accepted: boolean; revoked: boolean; expired: boolean }>(
    em,
    `select id, organization_id, email, role, is_mailed, accepted_at is not null as accepted, revoked_at is not null as revoked,
       expires_at <= clock_timestamp() as expired from invitations where hash = $1 ${lock}`,
    [sha256(token)],
  );
  if (!row) throw invalidField('token', 'The invitation is not valid', 'token.unknown');
  if (row.accepted) throw invalidField('token', 'The invitation has been accepted already', 'token.used');
  if (row.revoked) throw invalidField('token', 'The invitation was taken back or replaced by a newer one', 'token.revoked');
  if (row.expired) throw invalidField('token', 'The invitation has expired: ask for a new one', 'token.expired');
  return row;
}
