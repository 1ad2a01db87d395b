import { createOrganization } from '../organizations/organizations.ts';
import type { Source } from '../platform/database/database.ts';
import { query } from '../platform/database/query.ts';
import type { Transact } from '../platform/ledger/transact.ts';
import { record } from './record.ts';

export const openOrganization = (transact: Transact, name: string): Promise<string> =>
  transact({}, async (tx) => {
    const id = await createOrganization(tx.em, name);
    await record(tx, { organizationId: id, action: 'organizations.create', subject: `organization:${id}` });
    return id;
  });

/** `keys` are those that still open something. */
export type OrganizationCount = { id: string; name: string; created_at: string; members: number; keys: number };

export const listOrganizations = (source: Source) =>
  query<OrganizationCount>(
    source,
    `select o.id, o.name, o.created_at, (select count(*)::int from memberships m where m.organization_id = o.id) as members,
       (select count(*)::int from api_keys k where k.organization_id = o.id and k.revoked_at is null
          and (k.expires_at is null or k.expires_at > clock_timestamp())) as keys
     from organizations o order by o.created_at, o.id`,
  );
