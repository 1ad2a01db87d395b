import { type SqlBool, sql } from 'kysely';
import type { Own } from '../platform/database/own.ts';
import { statement } from '../platform/database/statement.ts';
import type { RowOf } from '../platform/database/tables.ts';
import { notFound } from '../platform/errors.ts';
import { shownColumns } from '../platform/imports/columns.ts';
import { importPool, importPoolWidth } from '../platform/imports/pool.ts';
import type { Upload } from '../platform/imports/uploads.ts';
import { ensureSharedPool } from '../platform/ledger/pools.ts';
import type { TenantTx } from '../platform/ledger/tx.ts';
import { list } from '../platform/listing/paging.ts';
import { CrmImport, type ImportRequest, type RecipientsRequest, recipientsKind } from './import.entity.ts';
import { importCrmJob, importRecipientsJob } from './jobs.ts';
import { crmImportLane, crmUploads } from './tables.ts';

const columns = [...shownColumns, 'object_kind', 'request', 'actor'] as const;
export type CrmImportRow = RowOf<typeof CrmImport, (typeof columns)[number]>;

const importById = statement((select, { id }: { id: string }) => select(CrmImport).select(columns).where('id', '=', id));

/** Of any kind. */
export async function findImport(own: Own, id: string): Promise<CrmImportRow> {
  const [row] = await importById(own, { id });
  if (!row) throw notFound('Import');
  return row;
}

/** Of deals or records. Throws 404. */
export async function getCrmImport(own: Own, id: string): Promise<CrmImportRow> {
  const row = await findImport(own, id);
  if (row.object_kind === recipientsKind) throw notFound('Import');
  return row;
}

/** Of the recipients of a campaign. Throws 404. */
export async function getRecipientsImport(own: Own, id: string): Promise<CrmImportRow> {
  const row = await findImport(own, id);
  if (row.object_kind !== recipientsKind) throw notFound('Import');
  return row;
}

export const listCrmImports = list((select, _: object) =>
  select(CrmImport)
    .select(columns)
    .where(sql<SqlBool>`object_kind is distinct from ${sql.lit(recipientsKind)}`),
);

/** Needs the import lane. */
export const queueCrmImport = (tx: TenantTx, upload: Upload, objectKind: string, request: ImportRequest) =>
  queueImport(tx, upload, objectKind, request);

/** Needs the import lane. */
export const queueRecipientsImport = (tx: TenantTx, upload: Upload, request: RecipientsRequest) =>
  queueImport(tx, upload, recipientsKind, request);

async function queueImport(ledgerTx: TenantTx, upload: Upload, objectKind: string, request: ImportRequest | RecipientsRequest) {
  const tx = ledgerTx.own;
  await crmUploads.queue(tx, upload);
  await tx.update(CrmImport, { id: upload.importId }, { object_kind: objectKind, request });
  await ensureSharedPool(ledgerTx, importPool, importPoolWidth);
  const lane = crmImportLane(tx.organizationId);
  const contract = objectKind === recipientsKind ? importRecipientsJob : importCrmJob;
  const operationId = tx.enqueue(contract, { import_id: upload.importId }, { lane, pool: importPool });
  return { row: await findImport(tx, upload.importId), operationId };
}
