import type { Em } from '../platform/database/database.ts';
import type { Own, OwnRecords } from '../platform/database/own.ts';
import { type RowOf, type TablesOf, tables } from '../platform/database/tables.ts';
import { notFound } from '../platform/errors.ts';
import { uuidv7 } from '../platform/ids.ts';
import { type Membership, Organization } from './organization.entity.ts';

export type OrganizationRow = RowOf<
  typeof Organization,
  'id' | 'name' | 'timezone' | 'home_currency' | 'display_currency' | 'created_at' | 'updated_at'
>;
const columns = 'id, name, timezone, home_currency, display_currency, created_at, updated_at';

/** A null in `display_currency` removes it. */
export type OrganizationChange = { name?: string; timezone?: string; home_currency?: string; display_currency?: string | null };

export async function createOrganization(em: Em, name: string): Promise<string> {
  const id = uuidv7();
  await em.insert(Organization, { id, name });
  return id;
}

export async function getOrganization(own: Own): Promise<OrganizationRow> {
  // SQL: here and below, the organization's own row is found by `id`, not by `organization_id`.
  const rows = await own.sql<OrganizationRow>(
    `select ${columns}
       from organizations
      where id = $1`,
  );
  return theOne(rows);
}

/** Rates of the feed are kept against the home currency, so another one asks for them at once. */
export async function changeOrganization(tx: OwnRecords, change: OrganizationChange): Promise<OrganizationRow> {
  const { name, timezone, home_currency, display_currency } = change;
  const rows = await tx.sql<OrganizationRow>(
    `update organizations
        set name = coalesce($2, name), timezone = coalesce($3, timezone), home_currency = coalesce($4, home_currency),
            display_currency = case when $5 then $6 else display_currency end, updated_at = clock_timestamp(),
            rates_due_at = case when $4 <> home_currency then clock_timestamp() else rates_due_at end
      where id = $1
     returning ${columns}`,
    [name ?? null, timezone ?? null, home_currency ?? null, display_currency !== undefined, display_currency ?? null],
  );
  return theOne(rows);
}

/** Counts of the organization's rows stay true until the transaction ends. Throws 404. */
export async function lockOrganization(tx: Own): Promise<void> {
  const rows = await tx.sql(
    `select 1
       from organizations
      where id = $1
        for no key update`,
  );
  theOne(rows);
}

/** Those the user is a member of, the oldest membership first. */
export const organizationsOf = (em: Em, userId: string) =>
  tables<TablesOf<typeof Membership | typeof Organization>>(em)
    .selectFrom('memberships')
    .innerJoin('organizations', 'organizations.id', 'memberships.organization_id')
    .select(['organizations.id', 'organizations.name', 'memberships.role'])
    .where('memberships.user_id', '=', userId)
    .orderBy('memberships.created_at')
    .orderBy('organizations.id')
    .limit(1000)
    .execute();

function theOne<Row>([row]: Row[]): Row {
  if (!row) throw notFound('Organization');
  return row;
}
