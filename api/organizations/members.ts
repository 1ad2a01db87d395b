import Joi from 'joi';
import { actorOf } from '../../src/organizations/caller.ts';
import { changeRole, getMember, listMembers, type MemberRow, removeMember } from '../../src/organizations/members.ts';
import type { Role } from '../../src/organizations/roles.ts';
import { exampleIds, exampleTime } from '../../src/platform/examples.ts';
import { role } from '../auth/schemas.ts';
import { endpoint, ok } from '../http/endpoint.ts';
import { listed, listOf, type PageQuery, pageQuery } from '../http/paging.ts';
import { id, iso, timestamp } from '../http/schemas.ts';
import { view } from '../http/view.ts';
import { leavingLook, release } from './leaving.ts';
import { tag } from './organization.ts';

export const memberView = view(
  'member',
  Joi.object({
    id: id.required().description("The user's"),
    name: Joi.string().allow('').required(),
    email: Joi.string().required(),
    role: role.required(),
    created_at: timestamp.required(),
    updated_at: timestamp.required(),
  }),
  {
    id: exampleIds.user,
    name: 'Ada Lovelace',
    email: 'ada@example.com',
    role: 'agent',
    created_at: exampleTime,
    updated_at: exampleTime,
  },
);

const toView = (row: MemberRow) => ({
  id: row.id,
  name: row.name,
  email: row.email,
  role: row.role,
  created_at: iso(row.created_at),
  updated_at: iso(row.updated_at),
});
const example = { params: { memberID: exampleIds.user } };
const about = { tag, subject: 'Member' };

export const listOfMembers = endpoint({
  method: 'get',
  path: '/v1/members',
  operationId: 'members.list',
  tag,
  scope: 'members:read',
  summary: 'List the members, newest first',
  query: Joi.object<PageQuery>(pageQuery),
  responses: { 200: listOf(memberView) },
  handler: ({ query, own }) => listed('members', {}, query, (page) => listMembers(own, page), toView),
});

export const getOneMember = endpoint({
  ...about,
  method: 'get',
  path: '/v1/members/:memberID',
  operationId: 'members.get',
  scope: 'members:read',
  summary: 'Get one member',
  responses: { 200: memberView },
  example,
  handler: async ({ params, own }) => ok(toView(await getMember(own, params.memberID))),
});

export const patchMember = endpoint({
  ...about,
  method: 'patch',
  path: '/v1/members/:memberID',
  operationId: 'members.update',
  scope: 'members:write',
  summary: "Change a member's role",
  description:
    'Neither the present role nor the new one may be above yours. Open invitations that the member could no longer make are revoked. The last owner keeps the role: 409.',
  audit: 'member',
  body: Joi.object<{ role: Role }>({ role: role.required() }),
  responses: { 200: memberView },
  example: { ...example, body: { role: 'agent' } },
  async handler({ params, body, caller, write }, { authenticate }) {
    const reply = await write({}, async ({ own }) => ({
      ...ok(toView(await changeRole(own, caller, params.memberID, body.role))),
      audit: { details: { role: body.role } },
    }));
    authenticate.forget(params.memberID);
    return reply;
  },
});

export const deleteMember = endpoint({
  ...about,
  method: 'delete',
  path: '/v1/members/:memberID',
  operationId: 'members.delete',
  scope: 'members:write',
  summary: 'Remove a member',
  description:
    "Nobody owns the member's deals or has the member's tasks or conversations any more: each deal and task gets a revision and a row of history, and of up to 100 deals, 100 tasks and 100 conversations each an event. Ends the member's bearer tokens for the organization and takes back open invitations, those made by a key of the member's too. API keys the member made work on, but no longer grant anything: `GET /v1/api-keys?made_by=` lists them, before and after. `revoke_keys=true` revokes them as well, which needs `api_keys:write` and every scope they have; else nothing is done: 403. The last owner stays: 409.",
  audit: 'member',
  query: Joi.object<{ revoke_keys: boolean }>({
    revoke_keys: Joi.boolean().default(false).description('Revoke the API keys that the member made, or that those keys made'),
  }),
  responses: { 204: null },
  example: { params: example.params },
  async handler({ params, query, caller, own: all, write }, { authenticate }) {
    return write(leavingLook(all, params.memberID), async ({ own }) => {
      const { revoked, left } = await removeMember(own, caller, params.memberID, {
        revokeKeys: query.revoke_keys,
        released: () => release(own, params.memberID, actorOf(caller)),
      });
      const committed = () => [params.memberID, ...revoked].forEach(authenticate.forget);
      return { status: 204, audit: { details: { keys_revoked: revoked, keys_left: left } }, committed };
    });
  },
});
