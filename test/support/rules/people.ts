import type { EntityData, InferEntity } from '@mikro-orm/core';
import { ApiKey, Membership } from '../../../src/organizations/organization.entity.ts';
import type { Role } from '../../../src/organizations/roles.ts';
import type { Em } from '../../../src/platform/database/database.ts';
import { LoginLimit } from '../../../src/platform/rate-limits/login-limit.entity.ts';

export const storedKey = (em: Em, id: string) => em.findOneOrFail(ApiKey, { id });

/** Changes an API key where no process can notice: none forgets what it has cached. */
export const setKey = (em: Em, id: string, change: EntityData<InferEntity<typeof ApiKey>>) =>
  em.nativeUpdate(ApiKey, { id }, change);

export async function roleOf(em: Em, organizationId: string, userId: string): Promise<Role | undefined> {
  return (await em.findOne(Membership, { organization_id: organizationId, user_id: userId }))?.role;
}

/** Changes the role of a person in every organization, where no process can notice. */
export const setRole = (em: Em, userId: string, role: Role) => em.nativeUpdate(Membership, { user_id: userId }, { role });

/** The person leaves every organization, where no process can notice. */
export const removeMember = (em: Em, userId: string) => em.nativeDelete(Membership, { user_id: userId });

/** What attempts to log in are counted for, in the order of the keys. */
export const loginLimits = async (em: Em) =>
  (await em.find(LoginLimit, {}, { orderBy: { key: 'asc' } })).map(({ key, points, expire }) => ({ key, points, expire }));
