import { sql } from 'kysely';
import type { ApiKey, Membership, Organization } from '../organizations/organization.entity.ts';
import { createOrganization } from '../organizations/organizations.ts';
import type { Em } from '../platform/database/database.ts';
import { inForce } from '../platform/database/in-force.ts';
import { type TablesOf, tables } from '../platform/database/tables.ts';
import type { Transact } from '../platform/ledger/transact.ts';
import { record } from './record.ts';

export const openOrganization = (transact: Transact, name: string): Promise<string> =>
  transact({}, async (tx) => {
    const id = await createOrganization(tx.em, name);
    await record(tx, { organizationId: id, action: 'organizations.create', subject: `organization:${id}` });
    return id;
  });

const total = sql<number>`count(*)::int`.as('total');

export const listOrganizations = (em: Em) =>
  tables<TablesOf<typeof Organization | typeof Membership | typeof ApiKey>>(em)
    .selectFrom('organizations')
    .select(['id', 'name', 'created_at'])
    .select(({ selectFrom }) => [
      selectFrom('memberships')
        .select(total)
        .whereRef('organization_id', '=', 'organizations.id')
        .$asScalar()
        .$notNull()
        .as('members'),
      selectFrom('api_keys')
        .select(total)
        .whereRef('organization_id', '=', 'organizations.id')
        .where('revoked_at', 'is', null)
        .where(inForce('expires_at'))
        .$asScalar()
        .$notNull()
        .as('keys'),
    ])
    .orderBy('created_at')
    .orderBy('id')
    .execute();
