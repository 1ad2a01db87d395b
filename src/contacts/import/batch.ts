import type { PoolClient } from 'pg';
import type { Database } from '../../platform/database/database.ts';
import { isTransient } from '../../platform/database/errors.ts';
import { uuidv7 } from '../../platform/ids.ts';
import { repeated } from '../../platform/ledger/repeat.ts';
import { Superseded } from '../../platform/ledger/superseded.ts';
import type { RunRef } from '../../platform/ledger/tx.ts';
import type { Secrets } from '../../platform/secrets.ts';
import { applyRows } from './apply-rows.ts';
import { holdRows } from './hold-rows.ts';
import type { ImportRow } from './imports.ts';
import { type Standing, Taken } from './resolve-rows.ts';
import { type Entry, isBad, type RowError } from './row.ts';
import { inSession } from './session.ts';
import { type StagedRow, stageRows } from './staging.ts';

export type Import = { id: string; organizationId: string; job: RunRef };
type Counts = { created: number; updated: number; unchanged: number; failed: number };

/** Refused rows beyond this are only counted. */
const maxReported = 10_000;

/**
 * One transaction with the counts, so a killed run did all rows or none. Returns how many; the caller repeats the rest.
 * Throws Superseded. Uses the driver's connection because COPY needs it; it neither enqueues nor emits.
 */
export async function importBatch(
  database: Database,
  secrets: Secrets,
  own: Import,
  done: number,
  entries: Entry[],
): Promise<number> {
  return repeated(() => inSession(database, (client) => importOnce(client, secrets, own, done, entries)), {
    isOutdated: (error) => error instanceof Taken || isTransient(error),
    restMs: (attempt) => Math.random() * 20 * attempt,
  });
}

async function importOnce(client: PoolClient, secrets: Secrets, own: Import, done: number, entries: Entry[]): Promise<number> {
  const reported = await beginAt(client, own, done);
  const staged = entries.flatMap((entry, n) => (isBad(entry) ? [] : [{ ...entry, n, contactId: uuidv7() }]));
  const counts: Counts = { created: 0, updated: 0, unchanged: 0, failed: 0 };
  const refused = new Map<number, RowError>();
  let taken = entries.length;
  if (staged.length > 0) {
    await stageRows(client, staged);
    const { rows, standings, writes } = await holdRows(client, own.organizationId, staged);
    if (rows.length < staged.length) taken = staged[rows.length]!.n;
    if (writes.length > 0) await applyRows(client, secrets, own.organizationId, writes);
    for (const row of rows) count(counts, refused, row, standings.get(row.n)!);
  }
  const failures = entries.slice(0, taken).flatMap((entry, n) => {
    const errors = isBad(entry) ? entry.errors : refused.has(n) ? [refused.get(n)!] : [];
    return errors.length > 0 ? [{ line: entry.line, errors }] : [];
  });
  counts.failed = failures.length;
  await report(client, own, failures.slice(0, Math.max(0, maxReported - reported)));
  await moveOn(client, own, taken, counts);
  return taken;
}

function count(counts: Counts, refused: Map<number, RowError>, { n }: StagedRow, standing: Standing) {
  if (standing.kind === 'refused') refused.set(n, standing.error);
  else if (standing.kind === 'new') counts.created += 1;
  else if (standing.isChanged) counts.updated += 1;
  else counts.unchanged += 1;
}

/** SQL: on the connection of the batch, as the next two. */
const lockImport = `
  select rows_done, failed_count
    from contact_imports
   where organization_id = $1
     and id = $2
     and state in ('queued', 'running')
     for update`;

const insertErrors = `
  insert into contact_import_errors (id, organization_id, import_id, line, column_name, code, message)
  select uuidv7(), $1, $2, x.line, x.column_name, x.code, x.message
    from unnest($3::int[], $4::text[], $5::text[], $6::text[]) as x(line, column_name, code, message)`;

const countRows = `
  with moved as (
    update contact_imports
       set state = 'running',
           rows_done = rows_done + $3,
           created_count = created_count + $4,
           updated_count = updated_count + $5,
           unchanged_count = unchanged_count + $6,
           failed_count = failed_count + $7,
           updated_at = clock_timestamp()
     where organization_id = $1
       and id = $2
    returning rows_done, failed_count)
  update jobs
     set progress = jsonb_build_object('rows', moved.rows_done, 'failed', moved.failed_count)
    from moved
   where jobs.organization_id = $1
     and jobs.id = $8
     and jobs.run = $9
     and jobs.state = 'queued'`;

/** Returns the failed rows so far. The lock makes a second run of the job wait; then it sees that it is superseded. */
async function beginAt(client: PoolClient, { id, organizationId }: Import, done: number): Promise<number> {
  const { rows } = await client.query<Pick<ImportRow, 'rows_done' | 'failed_count'>>(lockImport, [organizationId, id]);
  if (rows[0]?.rows_done !== done) throw new Superseded();
  return rows[0].failed_count;
}

async function report(client: PoolClient, { id, organizationId }: Import, failures: { line: number; errors: RowError[] }[]) {
  if (failures.length === 0) return;
  const all = failures.flatMap(({ line, errors }) => errors.map((error) => ({ line, ...error })));
  await client.query(insertErrors, [
    organizationId,
    id,
    all.map(({ line }) => line),
    all.map(({ column }) => column),
    all.map(({ code }) => code),
    all.map(({ message }) => message),
  ]);
}

async function moveOn(client: PoolClient, { id, organizationId, job }: Import, rows: number, counts: Counts) {
  const { created, updated, unchanged, failed } = counts;
  const params = [organizationId, id, rows, created, updated, unchanged, failed, job.id, job.run];
  const { rowCount } = await client.query(countRows, params);
  if (rowCount !== 1) throw new Superseded();
}
