import type { PoolClient } from 'pg';
import { copyInto, copyLine } from '../../platform/database/session.ts';
import { respelled } from '../identities/identity.ts';
import type { ReadRow } from './row.ts';

/** `n`: the place in the batch. `contactId`: the id of the contact if it is new. */
export type StagedRow = ReadRow & {
  n: number;
  contactId: string;
  owner?: string;
};

/** SQL: temporary tables have no entity. */
const tables = `
  create temp table import_rows (
    n int primary key,
    contact_id uuid not null,
    given_id uuid,
    is_known boolean not null default false,
    is_changed boolean not null default false,
    name text not null,
    phone_number text not null,
    email text not null,
    external_source text not null,
    external_id text not null,
    custom_fields jsonb not null,
    tags text[] not null) on commit drop;
  create temp table import_identities (n int not null, type text not null, source text not null, value text not null)
    on commit drop;
  create index on import_identities (n);
  create temp table import_spellings (n int not null, type text not null, value text not null, respelled text not null)
    on commit drop`;

const listOf = (texts: string[]) => `{${texts.map((text) => `"${text.replace(/["\\]/g, '\\$&')}"`).join(',')}}`;

export async function stageRows(client: PoolClient, rows: StagedRow[]): Promise<void> {
  await client.query(tables);
  await copyRows(client, rows);
}

const rowColumns =
  'n, contact_id, is_known, given_id, name, phone_number, email, external_source, external_id, custom_fields, tags';

export async function copyRows(client: PoolClient, rows: StagedRow[]): Promise<void> {
  await copyInto(client, `import_rows (${rowColumns})`, rows, rowLine);
  await copyInto(client, 'import_identities (n, type, source, value)', rows, identityLines);
  const spelled = rows.filter(({ identities }) => identities.some(respelled));
  if (spelled.length > 0) await copyInto(client, 'import_spellings (n, type, value, respelled)', spelled, spellingLines);
}

const rowLine = ({ n, contactId, owner, id, fields, tags }: StagedRow) =>
  copyLine([
    n,
    owner ?? contactId,
    owner === undefined ? 'f' : 't',
    id ?? null,
    fields.name ?? '',
    fields.phone_number ?? '',
    fields.email ?? '',
    fields.external_source ?? '',
    fields.external_id ?? '',
    JSON.stringify(fields.custom_fields ?? {}),
    listOf(tags),
  ]);

const identityLines = ({ n, identities }: StagedRow) =>
  identities.map(({ type, source, value }) => copyLine([n, type, source, value])).join('');

const spellingLines = ({ n, identities }: StagedRow) =>
  identities
    .flatMap((identity) => {
      const other = respelled(identity);
      return other ? [copyLine([n, identity.type, identity.value, other.value])] : [];
    })
    .join('');

export async function unstageRows(client: PoolClient, ns: number[]): Promise<void> {
  if (ns.length === 0) return;
  await client.query(
    `delete from import_rows
      where n = any($1::int[])`,
    [ns],
  );
  await client.query(
    `delete from import_identities
      where n = any($1::int[])`,
    [ns],
  );
}
