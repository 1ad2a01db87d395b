import Joi from 'joi';
import { switchOrganization } from '../../src/accounts/sessions.ts';
import { type Caller, noOrganization } from '../../src/organizations/caller.ts';
import { organizationsOf } from '../../src/organizations/organizations.ts';
import type { Em } from '../../src/platform/database/database.ts';
import { AppError } from '../../src/platform/errors.ts';
import { exampleIds } from '../../src/platform/examples.ts';
import { changeUser, findUser, type UserChange, type UserRow } from '../../src/users/users.ts';
import { endpoint, ok } from '../http/endpoint.ts';
import { id, timeZone } from '../http/schemas.ts';
import { view, wrapped } from '../http/view.ts';
import { me, personName, tag, toUserView, weekStart } from './schemas.ts';

const exampleActive = { organization_id: exampleIds.organization };

export const setActiveOrganization = endpoint({
  method: 'post',
  path: '/v1/auth/session/active-organization',
  operationId: 'auth.session.active-organization',
  tag,
  scope: 'session',
  summary: 'Set the active organization of the session',
  description:
    'What the session does from now on is done in it. 403 for one that you are not a member of, or that does not exist.',
  audit: 'organization',
  body: Joi.object<{ organization_id: string }>({ organization_id: id.required() }),
  responses: { 200: view(Joi.object({ organization_id: id.required() }), exampleActive) },
  example: { body: exampleActive },
  handler: ({ body, caller, write }) =>
    write({}, async (tx) => {
      const session = { id: caller.id, userId: caller.userId! };
      if (!(await switchOrganization(tx.em, session, body.organization_id)))
        throw new AppError('forbidden', 'You are not a member of this organization');
      // The previous organization must not learn which one is next.
      const audit = { organizationId: body.organization_id, subject: `organization:${body.organization_id}` };
      return { ...ok({ organization_id: body.organization_id }), audit };
    }),
});

/** A bearer token is bound to one organization and shows no other. */
async function meOf(em: Em, caller: Caller, user: UserRow) {
  const isActive = caller.organizationId !== noOrganization;
  const organizations = await organizationsOf(em, user.id);
  return {
    data: {
      ...toUserView(user),
      organization_id: isActive ? caller.organizationId : null,
      role: isActive ? caller.role : null,
      scopes: [...caller.scopes],
      organizations: organizations.filter(({ id }) => caller.by !== 'token' || id === caller.organizationId),
    },
  };
}

export const getMe = endpoint({
  method: 'get',
  path: '/v1/auth/me',
  operationId: 'auth.me.get',
  tag,
  scope: 'user',
  summary: 'Get the user who is logged in',
  responses: { 200: wrapped(me) },
  async handler({ caller, em }) {
    const user = await findUser(em, caller.userId!);
    if (!user) throw new AppError('unauthorized', 'The user no longer exists');
    return ok(await meOf(em, caller, user));
  },
});

export const patchMe = endpoint({
  method: 'patch',
  path: '/v1/auth/me',
  operationId: 'auth.me.update',
  tag,
  scope: 'account',
  summary: 'Change your name, time zone or first day of the week',
  audit: 'user',
  body: Joi.object<UserChange>({ name: personName, timezone: timeZone, week_start: weekStart }).min(1),
  responses: { 200: wrapped(me) },
  example: { body: { timezone: 'Asia/Jakarta' } },
  handler: ({ body, caller, write }) =>
    write({}, async (tx) => ok(await meOf(tx.em, caller, await changeUser(tx.em, caller.userId!, body)))),
});
