import type { PoolClient } from 'pg';
import type { Database } from '../../platform/database/database.ts';
import { isTransient } from '../../platform/database/errors.ts';
import { inSession } from '../../platform/database/session.ts';
import { uuidv7 } from '../../platform/ids.ts';
import { type Ask, type Counts, type Import, progressIn, type RowError } from '../../platform/imports/progress.ts';
import { repeated } from '../../platform/ledger/repeat.ts';
import type { Secrets } from '../../platform/secrets.ts';
import { applyRows } from './apply-rows.ts';
import { holdRows } from './hold-rows.ts';
import { type Standing, Taken } from './resolve-rows.ts';
import { type Entry, isBad } from './row.ts';
import type { StagedRow } from './staging.ts';
import { contactImportTables } from './tables.ts';

const { beginAt, moveOn } = progressIn(contactImportTables);

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
  const ask: Ask = async <Row>(text: string, params: unknown[]) => (await client.query(text, params)).rows as Row[];
  const reported = await beginAt(ask, own, done);
  const staged = entries.flatMap((entry, n) => (isBad(entry) ? [] : [{ ...entry, n, contactId: uuidv7() }]));
  const counts: Counts = { created: 0, updated: 0, unchanged: 0, failed: 0 };
  const refused = new Map<number, RowError>();
  let taken = entries.length;
  if (staged.length > 0) {
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
  await moveOn(ask, own, { rows: taken, counts, failures, reported });
  return taken;
}

function count(counts: Counts, refused: Map<number, RowError>, { n }: StagedRow, standing: Standing) {
  if (standing.kind === 'refused') refused.set(n, standing.error);
  else if (standing.kind === 'new') counts.created += 1;
  else if (standing.isChanged) counts.updated += 1;
  else counts.unchanged += 1;
}
