import { roleBehindKey } from '../organizations/makers.ts';
import { ApiKey, Membership } from '../organizations/organization.entity.ts';
import { type Role, scopesOf } from '../organizations/roles.ts';
import type { Scope } from '../organizations/scopes.ts';
import { inForce } from '../platform/database/in-force.ts';
import type { Own } from '../platform/database/own.ts';
import { statement } from '../platform/database/statement.ts';
import { AppError } from '../platform/errors.ts';
import { isUuid } from '../platform/ids.ts';

const keyById = statement((select, { id }: { id: string }) =>
  select(ApiKey).select(['id', 'scopes']).where('id', '=', id).where('revoked_at', 'is', null).where(inForce('expires_at')),
);

const memberById = statement((select, { id }: { id: string }) => select(Membership).select('role').where('user_id', '=', id));

/** Of `user:<id>` or `key:<id>`, who asked some time ago: a consent is no more than the rights behind it are now. Throws 403. */
export async function mustStillHave(own: Own, actor: string, scope: Scope): Promise<void> {
  const [kind, id = ''] = actor.split(':', 2);
  if (!isUuid(id) || !(await hasScope(own, kind, id, scope)))
    throw new AppError('forbidden', 'Who asked for this consent may not connect accounts any more');
}

async function hasScope(own: Own, kind: string | undefined, id: string, scope: Scope): Promise<boolean> {
  const brings = (role: Role | undefined) => role !== undefined && scopesOf[role].has(scope);
  if (kind === 'user') return brings((await memberById(own, { id }))[0]?.role);
  const [key] = await keyById(own, { id });
  return key?.scopes.includes(scope) === true && brings(await roleBehindKey(own, id));
}
