import Joi from 'joi';
import { acceptInvitation } from '../../src/accounts/accept-invitation.ts';
import { linkOf } from '../../src/mails/links.ts';
import { type InvitationRow, invite, listInvitations, revokeInvitation } from '../../src/organizations/invitations.ts';
import { lookUpInvitation } from '../../src/organizations/look-up-invitation.ts';
import type { Role } from '../../src/organizations/roles.ts';
import { exampleIds, exampleTime } from '../../src/platform/examples.ts';
import { email, exampleToken, newPassword, oneTimeToken, personName, role } from '../auth/schemas.ts';
import { endpoint, ok } from '../http/endpoint.ts';
import { listed, listOf, type PageQuery, pageQuery } from '../http/paging.ts';
import { id, iso, timestamp } from '../http/schemas.ts';
import { extended, view } from '../http/view.ts';
import { tag } from './organization.ts';

export const invitationView = view(
  'invitation',
  Joi.object({
    id: id.required(),
    email: Joi.string().required(),
    role: role.required(),
    status: Joi.string().valid('open', 'accepted', 'revoked', 'expired').required(),
    invited_by: Joi.string().required().description('`user:<id>` or `key:<id>`'),
    expires_at: timestamp.required(),
    created_at: timestamp.required(),
  }),
  {
    id: exampleIds.invitation,
    email: 'ada@example.com',
    role: 'agent',
    status: 'open',
    invited_by: `user:${exampleIds.user}`,
    expires_at: exampleTime,
    created_at: exampleTime,
  },
);

const statusOf = ({ accepted_at, revoked_at, is_expired }: InvitationRow) => {
  if (accepted_at) return 'accepted';
  if (revoked_at) return 'revoked';
  return is_expired ? 'expired' : 'open';
};

const toView = (row: InvitationRow) => ({
  id: row.id,
  email: row.email,
  role: row.role,
  status: statusOf(row),
  invited_by: row.invited_by,
  expires_at: iso(row.expires_at),
  created_at: iso(row.created_at),
});

const made = extended(
  invitationView,
  {
    token: Joi.string().allow(null).required().description('null: it was mailed'),
    link: Joi.string().allow(null).required().description('Where the invited person accepts; null: it was mailed'),
  },
  { token: null, link: null },
);

type InviteBody = { email: string; role: Role };

export const createInvitation = endpoint({
  method: 'post',
  path: '/v1/invitations',
  operationId: 'invitations.create',
  tag,
  scope: 'members:write',
  summary: 'Invite somebody',
  description:
    'Mails a link for one use, good for 7 days. An open invitation of the same email is replaced. The role may not be above yours. At most 20 a day of one email. Where the installation sends no mail the reply has the link and its `token`, for you to hand over.',
  isIdempotent: true,
  holdsSecret: true,
  audit: 'invitation',
  body: Joi.object<InviteBody, true>({ email: email.required(), role: role.required() }),
  responses: {
    201: made,
  },
  example: { body: { email: 'ada@example.com', role: 'agent' } },
  handler: ({ body, caller, write }, { config, secrets }) =>
    write({ retryOn: ['invitations_open'] }, async ({ own }) => {
      const row = await invite(own, caller, body, secrets, config.mailUrl !== undefined);
      const { token } = row;
      const shown = config.mailUrl ? { token: null, link: null } : { token, link: linkOf(config, 'invitation', token) };
      return {
        status: 201,
        body: { ...toView(row), ...shown },
        audit: { details: { role: row.role } },
      };
    }),
});

export const listOfInvitations = endpoint({
  method: 'get',
  path: '/v1/invitations',
  operationId: 'invitations.list',
  tag,
  scope: 'members:read',
  summary: 'List invitations, newest first',
  query: Joi.object<PageQuery>(pageQuery),
  responses: { 200: listOf(invitationView) },
  handler: ({ query, own }) => listed('invitations', {}, query, (page) => listInvitations(own, page), toView),
});

export const deleteInvitation = endpoint({
  method: 'delete',
  path: '/v1/invitations/:invitationID',
  operationId: 'invitations.delete',
  tag,
  scope: 'members:write',
  summary: 'Take an invitation back',
  subject: 'Invitation',
  audit: 'invitation',
  responses: { 204: null },
  handler: ({ params, caller, write }) =>
    write({}, async ({ own }) => {
      await revokeInvitation(own, caller, params.invitationID);
      return { status: 204 };
    }),
});

export const lookUpAnInvitation = endpoint({
  method: 'post',
  path: '/v1/invitations/look-up',
  operationId: 'invitations.look-up',
  tag,
  scope: 'public',
  summary: 'Read which organization an invitation is of, before it is accepted',
  description:
    'By the token of its link, which stays good. The same 422 for a token that is unknown, was used or taken back, or has expired.',
  body: Joi.object<{ token: string }, true>({ token: oneTimeToken }),
  responses: {
    200: view(Joi.object({ organization_name: Joi.string().required() }), { organization_name: 'Harbour Books' }),
  },
  example: { body: { token: exampleToken } },
  handler: async ({ body, from }, { database, loginLimits }) =>
    ok(await lookUpInvitation({ database, limits: loginLimits }, body.token, from.address)),
});

type AcceptBody = { token: string; name?: string; password: string };

export const acceptAnInvitation = endpoint({
  method: 'post',
  path: '/v1/invitations/accept',
  operationId: 'invitations.accept',
  tag,
  scope: 'public',
  summary: 'Accept an invitation',
  description:
    'By the token of its link. Makes an account of the invited email with `name` and `password`; where there is one already, `password` is its own. Then log in.',
  body: Joi.object<AcceptBody>({
    token: oneTimeToken,
    name: personName.description('Required for a new account'),
    password: newPassword,
  }),
  responses: {
    200: view(
      Joi.object({
        organization_id: id.required(),
        organization_name: Joi.string().required(),
        user_id: id.required(),
        role: role.required(),
      }),
      {
        organization_id: exampleIds.organization,
        organization_name: 'Harbour Books',
        user_id: exampleIds.user,
        role: 'agent',
      },
    ),
  },
  example: {
    body: { token: exampleToken, name: 'Ada Lovelace', password: 'correct horse battery' },
  },
  async handler({ body, from }, { database, ledger, passwords, loginLimits }) {
    const parts = { database, transact: ledger.transact, passwords, limits: loginLimits };
    return ok(await acceptInvitation(parts, body, from));
  },
});
