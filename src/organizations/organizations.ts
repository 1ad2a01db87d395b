import type { Em, Source } from '../platform/database/database.ts';
import { query } from '../platform/database/query.ts';
import { notFound } from '../platform/errors.ts';
import { uuidv7 } from '../platform/ids.ts';
import { Organization } from './organization.entity.ts';

export type OrganizationRow = { id: string; name: string; created_at: string; updated_at: string };

const columns = 'id, name, created_at, updated_at';

export async function createOrganization(em: Em, name: string): Promise<string> {
  const id = uuidv7();
  await em.insert(Organization, { id, name });
  return id;
}

export async function getOrganization(source: Source, id: string): Promise<OrganizationRow> {
  const [row] = await query<OrganizationRow>(source, `select ${columns} from organizations where id = $1`, [id]);
  if (!row) throw notFound('Organization');
  return row;
}

export async function renameOrganization(source: Source, id: string, name: string): Promise<OrganizationRow> {
  const [row] = await query<OrganizationRow>(
    source,
    `update organizations set name = $2, updated_at = clock_timestamp() where id = $1 returning ${columns}`,
    [id, name],
  );
  if (!row) throw notFound('Organization');
  return row;
}

/** Its row is locked: counts of what belongs to it hold until the transaction ends. */
export async function lockOrganization(source: Source, id: string): Promise<void> {
  const [row] = await query(source, 'select 1 from organizations where id = $1 for no key update', [id]);
  if (!row) throw notFound('Organization');
}
