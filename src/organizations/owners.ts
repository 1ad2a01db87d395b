import { statement } from '../platform/database/statement.ts';
import { User } from '../users/user.entity.ts';
import { Membership, Organization } from './organization.entity.ts';

/** The first of them: a mail goes to each. */
const maxOwners = 20;

/** Whom to write to about the organization, whose name is in each row. */
export const ownersOf = statement((select) =>
  select<typeof Membership, typeof User | typeof Organization>(Membership, User, Organization)
    .innerJoin('users', 'users.id', 'memberships.user_id')
    .innerJoin('organizations', 'organizations.id', 'memberships.organization_id')
    .select(['users.email', 'organizations.name as organization'])
    .where('memberships.role', '=', 'owner')
    .orderBy('memberships.created_at')
    .limit(maxOwners),
);
