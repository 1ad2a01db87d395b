import type pg from 'pg';
import { scopes } from '../src/organizations/scopes.ts';
import { newCredential } from '../src/platform/credentials.ts';
import { uuidv7 } from '../src/platform/ids.ts';
import { sha256 } from '../src/platform/secrets.ts';

export type ScaleOwner = { organizationId: string; apiKey: string };

export const newOwner = (): ScaleOwner => ({ organizationId: uuidv7(), apiKey: newCredential('kk_') });

export async function insertOwner(sql: pg.ClientBase, { organizationId, apiKey }: ScaleOwner): Promise<void> {
  await sql.query(`insert into organizations (id, name) values ($1, 'Bench')`, [organizationId]);
  await sql.query(`insert into api_keys (id, organization_id, name, hash, scopes) values ($1, $2, 'bench', $3, $4)`, [
    ...[uuidv7(), organizationId, sha256(apiKey), scopes],
  ]);
}

/** By chance, the same in every run of as many. */
export async function idsOf(
  pool: pg.Pool,
  table: string,
  { organizationId }: Pick<ScaleOwner, 'organizationId'>,
  count: number,
): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>(
    `select id from ${table} where organization_id = $1 order by hashint8(('x' || substr(md5(id::text), 1, 8))::bit(32)::int8) limit $2`,
    [organizationId, count],
  );
  return rows.map(({ id }) => id);
}
