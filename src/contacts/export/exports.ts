import { Readable } from 'node:stream';
import { sql } from 'kysely';
import type { Own } from '../../platform/database/own.ts';
import { statement } from '../../platform/database/statement.ts';
import type { RowOf } from '../../platform/database/tables.ts';
import { AppError, notFound } from '../../platform/errors.ts';
import { ensureSharedPool } from '../../platform/ledger/pools.ts';
import type { OwnTx, TenantTx } from '../../platform/ledger/tx.ts';
import { list } from '../../platform/listing/paging.ts';
import { ContactExport, ContactExportChunk, type ExportRequest } from './export.entity.ts';
import { exportContactsJob, exportLane, exportPool, exportPoolWidth } from './jobs.ts';

const columns = ['id', 'state', 'campaign_id', 'pieces', 'rows_done', 'bytes', 'failure', 'created_at', 'finished_at'] as const;
export type ExportRow = RowOf<typeof ContactExport, (typeof columns)[number]>;

/** Per organization: the files are stored in the database. */
export const maxExports = 10;

const exportById = statement((select, { id }: { id: string }) => select(ContactExport).select(columns).where('id', '=', id));

export async function getExport(own: Own, id: string): Promise<ExportRow> {
  const [row] = await exportById(own, { id });
  if (!row) throw notFound('Export');
  return row;
}

export const listExports = list((select, _: object) => select(ContactExport).select(columns));

const countExports = statement((select) => select(ContactExport).select(sql<number>`count(*)::int`.as('total')));

/** Throws 422 at the organization's limit, LocksOutdated without its export lane. */
export async function queueExport(ledgerTx: TenantTx, actor: string, request: ExportRequest, campaignId: string | null = null) {
  const tx = ledgerTx.own;
  const lane = exportLane(tx.organizationId);
  tx.assertLocked(lane);
  const [kept] = await countExports(tx, {});
  if (kept!.total >= maxExports)
    throw new AppError('limit_reached', `An organization keeps at most ${maxExports} exports: delete one first`);
  const row = tx.create(ContactExport, {
    state: 'queued',
    actor,
    campaign_id: campaignId,
    request,
    failure: null,
    finished_at: null,
  });
  // Loads the database's timestamps for the reply.
  await tx.flush();
  await ensureSharedPool(ledgerTx, exportPool, exportPoolWidth);
  const operationId = tx.enqueue(exportContactsJob, { export_id: row.id }, { lane, pool: exportPool });
  return { row, operationId };
}

/** Throws 409 while the file is being written. */
export async function deleteExport(tx: OwnTx, id: string): Promise<void> {
  const deleted = await tx.delete(ContactExport, { id, state: { $in: ['succeeded', 'failed', 'cancelled'] } });
  if (deleted > 0) return;
  await getExport(tx, id);
  throw new AppError('conflict', 'The export is still under way');
}

const chunkBytes = statement((select, { exportId, number }: { exportId: string; number: number }) =>
  select(ContactExportChunk).select('bytes').where('export_id', '=', exportId).where('number', '=', number),
);

/** Fails when the file is deleted meanwhile: the receiver must not take a part for the whole. */
export function fileOf(own: Own, { id, pieces }: Pick<ExportRow, 'id' | 'pieces'>): Readable {
  return Readable.from(bytes(), { highWaterMark: 1 });
  async function* bytes() {
    for (let number = 0; number < pieces; number += 1) {
      const [chunk] = await chunkBytes(own, { exportId: id, number });
      if (!chunk) throw new Error(`The export was deleted before its piece ${number + 1} of ${pieces} was sent`);
      yield chunk.bytes;
    }
  }
}
