import type { Em } from '../platform/database/database.ts';
import type { Own, OwnRecords } from '../platform/database/own.ts';
import { type RowOf, type TablesOf, tables } from '../platform/database/tables.ts';
import { notFound } from '../platform/errors.ts';
import { uuidv7 } from '../platform/ids.ts';
import { type Membership, Organization } from './organization.entity.ts';

export type OrganizationRow = RowOf<
  typeof Organization,
  | 'id'
  | 'name'
  | 'timezone'
  | 'home_currency'
  | 'display_currency'
  | 'frequency_cap'
  | 'quiet_hours'
  | 'timezone_field'
  | 'business_hours'
  | 'created_at'
  | 'updated_at'
>;
const columns = `id, name, timezone, home_currency, display_currency, frequency_cap, quiet_hours, timezone_field, business_hours,
  created_at, updated_at`;

/** What is not given stays; a null removes. */
export type OrganizationChange = Partial<Omit<OrganizationRow, 'id' | 'created_at' | 'updated_at'>>;

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
  const rows = await tx.sql<OrganizationRow>(
    `update organizations o
        set (name, timezone, home_currency, display_currency, frequency_cap, quiet_hours, timezone_field, business_hours,
             updated_at, rates_due_at) = (
              select n.name, n.timezone, n.home_currency, n.display_currency, n.frequency_cap, n.quiet_hours,
                     n.timezone_field, n.business_hours, clock_timestamp(),
                     case when n.home_currency <> o.home_currency then clock_timestamp() else o.rates_due_at end
                from jsonb_populate_record(o, $2::jsonb) n)
      where id = $1
     returning ${columns}`,
    [JSON.stringify(change)],
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
