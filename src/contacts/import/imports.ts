import type { Own } from '../../platform/database/own.ts';
import { statement } from '../../platform/database/statement.ts';
import type { RowOf } from '../../platform/database/tables.ts';
import { notFound } from '../../platform/errors.ts';
import { shownColumns } from '../../platform/imports/columns.ts';
import { importPool, importPoolWidth } from '../../platform/imports/pool.ts';
import { rowErrorsIn } from '../../platform/imports/row-errors.ts';
import type { Upload } from '../../platform/imports/uploads.ts';
import { ensureSharedPool } from '../../platform/ledger/pools.ts';
import type { TenantTx } from '../../platform/ledger/tx.ts';
import { list } from '../../platform/listing/paging.ts';
import { ContactImport } from './import.entity.ts';
import { importContactsJob } from './jobs.ts';
import { contactImportTables, contactUploads, importLane } from './tables.ts';

export type ImportRow = RowOf<typeof ContactImport, (typeof shownColumns)[number]>;

const importById = statement((select, { id }: { id: string }) => select(ContactImport).select(shownColumns).where('id', '=', id));

export async function getImport(own: Own, id: string): Promise<ImportRow> {
  const [row] = await importById(own, { id });
  if (!row) throw notFound('Import');
  return row;
}

export const listImports = list((select, _: object) => select(ContactImport).select(shownColumns));

export const importErrors = rowErrorsIn(contactImportTables);

export async function queueImport(ledgerTx: TenantTx, upload: Upload) {
  const tx = ledgerTx.own;
  await contactUploads.queue(tx, upload);
  await ensureSharedPool(ledgerTx, importPool, importPoolWidth);
  const lane = importLane(tx.organizationId);
  const operationId = tx.enqueue(importContactsJob, { import_id: upload.importId }, { lane, pool: importPool });
  return { row: await getImport(tx, upload.importId), operationId };
}
