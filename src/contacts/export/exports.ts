import { Readable } from 'node:stream';
import type { Database, Em, Source } from '../../platform/database/database.ts';
import { query } from '../../platform/database/query.ts';
import { AppError, notFound } from '../../platform/errors.ts';
import { uuidv7 } from '../../platform/ids.ts';
import type { Tx } from '../../platform/ledger/tx.ts';
import type { ListRequest } from '../../platform/listing/listing.ts';
import { type Page, type PageRows, pageOfTable } from '../../platform/listing/paging.ts';
import type { CsvForm } from './csv.ts';
import type { ExportFailure, ExportState } from './export.entity.ts';
import { exportContactsJob, exportLane, exportPool, exportPoolWidth } from './jobs.ts';

export type ExportRow = {
  id: string;
  state: ExportState;
  pieces: number;
  rows_done: number;
  bytes: string;
  failure: ExportFailure | null;
  created_at: string;
  finished_at: string | null;
};

export type ExportRequest = ListRequest & CsvForm;

const columns = 'id, state, pieces, rows_done, bytes, failure, created_at, finished_at';
/** Files that stand ready take room in the database. */
export const mostExports = 10;

/** Throws 404. */
export async function getExport(source: Source, organizationId: string, id: string): Promise<ExportRow> {
  const [row] = await query<ExportRow>(source, `select ${columns} from contact_exports where organization_id = $1 and id = $2`, [
    organizationId,
    id,
  ]);
  if (!row) throw notFound('Export');
  return row;
}

export const listExports = (em: Em, organizationId: string, page: Page): Promise<PageRows<ExportRow>> =>
  pageOfTable(em, `select ${columns} from contact_exports where organization_id = $1`, [organizationId], page);

/** The organization's export lane is locked. Throws 422 when it keeps as many as it may. */
export async function queueExport(tx: Tx, organizationId: string, actor: string, request: ExportRequest) {
  const [kept] = await tx.query<{ n: number }>('select count(*)::int as n from contact_exports where organization_id = $1', [
    organizationId,
  ]);
  if (kept!.n >= mostExports)
    throw new AppError('limit_reached', `An organization keeps at most ${mostExports} exports: delete one first`);
  const id = uuidv7();
  const [row] = await tx.query<ExportRow>(
    `insert into contact_exports (id, organization_id, state, actor, request) values ($1, $2, 'queued', $3, $4) returning ${columns}`,
    [id, organizationId, actor, JSON.stringify(request)],
  );
  await tx.query('insert into pools (id, width) values ($1, $2) on conflict (id) do nothing', [exportPool, exportPoolWidth]);
  const lane = exportLane(organizationId);
  const operationId = tx.enqueue(exportContactsJob, organizationId, { export_id: id }, { lane, pool: exportPool });
  return { row: row!, operationId };
}

/** With its file. Throws 404, and 409 while it is being written. */
export async function deleteExport(tx: Tx, organizationId: string, id: string): Promise<void> {
  const gone = await tx.query(
    `delete from contact_exports where organization_id = $1 and id = $2 and state in ('succeeded', 'failed') returning id`,
    [organizationId, id],
  );
  if (gone.length > 0) return;
  await getExport(tx.em, organizationId, id);
  throw new AppError('conflict', 'The export is still under way');
}

/** A piece is read when the one before has left. Breaks off when the file is deleted meanwhile: a part must not pass for the whole. */
export function fileOf(database: Database, organizationId: string, { id, pieces }: Pick<ExportRow, 'id' | 'pieces'>): Readable {
  return Readable.from(bytes(), { highWaterMark: 1 });
  async function* bytes() {
    for (let number = 0; number < pieces; number += 1) {
      const [chunk] = await query<{ bytes: Buffer }>(
        database,
        'select bytes from contact_export_chunks where organization_id = $1 and export_id = $2 and number = $3',
        [organizationId, id, number],
      );
      if (!chunk) throw new Error(`The export was deleted before its piece ${number + 1} of ${pieces} was sent`);
      yield chunk.bytes;
    }
  }
}
