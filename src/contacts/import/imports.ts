import type { Database, Em, Source } from '../../platform/database/database.ts';
import { query } from '../../platform/database/query.ts';
import { AppError, notFound } from '../../platform/errors.ts';
import { uuidv7 } from '../../platform/ids.ts';
import type { Transact } from '../../platform/ledger/transact.ts';
import type { Tx } from '../../platform/ledger/tx.ts';
import { type Page, type PageRows, pageOfTable } from '../../platform/listing/paging.ts';
import type { ImportFailure, ImportState } from './import.entity.ts';
import { importContactsJob, importLane, importPool, importPoolWidth } from './jobs.ts';

export type ImportRow = {
  id: string;
  state: ImportState;
  rows_done: number;
  created_count: number;
  updated_count: number;
  unchanged_count: number;
  failed_count: number;
  failure: ImportFailure | null;
  created_at: string;
  finished_at: string | null;
};

const columns =
  'id, state, rows_done, created_count, updated_count, unchanged_count, failed_count, failure, created_at, finished_at';

/** Throws 404. */
export async function getImport(source: Source, organizationId: string, id: string): Promise<ImportRow> {
  const [row] = await query<ImportRow>(source, `select ${columns} from contact_imports where organization_id = $1 and id = $2`, [
    organizationId,
    id,
  ]);
  if (!row) throw notFound('Import');
  return row;
}

export const listImports = (em: Em, organizationId: string, page: Page): Promise<PageRows<ImportRow>> =>
  pageOfTable(em, `select ${columns} from contact_imports where organization_id = $1`, [organizationId], page);

export type ImportErrorRow = { id: string; line: number; column_name: string; code: string; message: string };
export type ImportErrorPage = { limit: number; after?: [line: number, id: string]; includeTotal: boolean };

/** In the order of the file, one row more than asked for. */
export async function listImportErrors(
  source: Source,
  organizationId: string,
  importId: string,
  { limit, after = [0, '00000000-0000-0000-0000-000000000000'], includeTotal }: ImportErrorPage,
): Promise<PageRows<ImportErrorRow>> {
  const own = 'from contact_import_errors where organization_id = $1 and import_id = $2';
  const rows = await query<ImportErrorRow>(
    source,
    `select id, line, column_name, code, message ${own} and (line, id) > ($3::int, $4::uuid) order by line, id limit $5`,
    [organizationId, importId, ...after, limit + 1],
  );
  if (!includeTotal) return { rows };
  const [counted] = await query<{ total: number }>(source, `select count(*)::int as total ${own}`, [organizationId, importId]);
  return { rows, total: counted!.total };
}

/** No upload takes longer than a request may: one whose process died is none any more. */
const longestUpload = `interval '30 minutes'`;

/**
 * A file that is about to come in, before any of it is read. Throws 422 when the organization has `maxQueued` that wait or run. One after
 * the other by the lock of the lane, or two at once would both find room for the last.
 */
export const beginUpload = (transact: Transact, organizationId: string, actor: string, maxQueued?: number): Promise<string> =>
  transact({ locks: [importLane(organizationId)] }, async (tx) => {
    const id = uuidv7();
    const made = await tx.query(
      `insert into contact_imports (id, organization_id, state, actor) select $1, $2, 'uploading', $3
        where (select count(*) from contact_imports where organization_id = $2 and (
          state in ('queued', 'running') or (state = 'uploading' and created_at > clock_timestamp() - ${longestUpload}))) < coalesce($4, 'infinity'::float8) returning id`,
      [id, organizationId, actor, maxQueued ?? null],
    );
    if (made.length === 0) throw tooManyQueued(maxQueued!);
    return id;
  });

const tooManyQueued = (most: number) =>
  new AppError(
    'limit_reached',
    `An organization has at most ${most} imports that wait or run: upload the file when one has ended`,
  );

export async function storeChunk(database: Database, organizationId: string, id: string, number: number, bytes: Buffer) {
  await query(database, 'insert into contact_import_chunks (organization_id, import_id, number, bytes) values ($1, $2, $3, $4)', [
    organizationId,
    id,
    number,
    bytes,
  ]);
}

/** Only while it is an upload: one that is queued is the job's. */
export async function dropUpload(database: Database, organizationId: string, id: string): Promise<void> {
  await query(database, `delete from contact_imports where organization_id = $1 and id = $2 and state = 'uploading'`, [
    organizationId,
    id,
  ]);
}

export type Upload = { importId: string; bytes: number; checksum: Buffer };

/** An upload that is whole becomes an import. The organization's import lane is locked. */
export async function queueImport(tx: Tx, organizationId: string, { importId, bytes, checksum }: Upload) {
  const [row] = await tx.query<ImportRow>(
    `update contact_imports set state = 'queued', bytes = $3, checksum = $4, updated_at = clock_timestamp()
      where organization_id = $1 and id = $2 and state = 'uploading' returning ${columns}`,
    [organizationId, importId, bytes, checksum],
  );
  if (!row) throw notFound('Import');
  await tx.query('insert into pools (id, width) values ($1, $2) on conflict (id) do nothing', [importPool, importPoolWidth]);
  const lane = importLane(organizationId);
  const operationId = tx.enqueue(importContactsJob, organizationId, { import_id: importId }, { lane, pool: importPool });
  return { row, operationId };
}
