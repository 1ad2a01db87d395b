import type { PoolClient } from 'pg';
import { uuidv7 } from '../../ids.ts';
import type { ReadRow } from './row.ts';
import { copyInto, copyLine } from './session.ts';

/** A row on its way in; `n` is its place in the batch. */
export type StagedRow = ReadRow & { n: number };

const tables = `
  create temp table import_rows (n int primary key, wave int not null default 0, contact_id uuid not null, given_id uuid, is_known boolean not null default false,
    is_changed boolean not null default false, name text not null, phone_number text not null, email text not null, external_source text not null,
    external_id text not null, custom_fields jsonb not null, tags text[] not null) on commit drop;
  create temp table import_identities (n int not null, type text not null, source text not null, value text not null) on commit drop;
  create index on import_identities (n)`;

const listOf = (texts: string[]) => `{${texts.map((text) => `"${text.replace(/["\\]/g, '\\$&')}"`).join(',')}}`;

/** Brings the rows into tables of this transaction's own, each with the id of the contact it makes when nobody is known by it. */
export async function stageRows(client: PoolClient, rows: StagedRow[]): Promise<void> {
  await client.query(tables);
  const lines = rows.map(({ n, id, fields, tags }) =>
    copyLine([
      n,
      uuidv7(),
      id ?? null,
      fields.name ?? '',
      fields.phone_number ?? '',
      fields.email ?? '',
      fields.external_source ?? '',
      fields.external_id ?? '',
      JSON.stringify(fields.custom_fields ?? {}),
      listOf(tags),
    ]),
  );
  const columns = 'n, contact_id, given_id, name, phone_number, email, external_source, external_id, custom_fields, tags';
  await copyInto(client, `import_rows (${columns})`, lines);
  const identities = rows.flatMap(({ n, identities: own }) =>
    own.map(({ type, source, value }) => copyLine([n, type, source, value])),
  );
  await copyInto(client, 'import_identities (n, type, source, value)', identities);
}

/** Rows that are not for this transaction. */
export async function unstageRows(client: PoolClient, ns: number[]): Promise<void> {
  if (ns.length > 0) await client.query('delete from import_rows where n = any($1::int[])', [ns]);
}
