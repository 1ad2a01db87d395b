import { type SqlBool, sql } from 'kysely';
import type { Own } from '../../platform/database/own.ts';
import { statement } from '../../platform/database/statement.ts';
import type { RowOf } from '../../platform/database/tables.ts';
import type { Transact } from '../../platform/ledger/transact.ts';
import type { OwnTx } from '../../platform/ledger/tx.ts';
import { csvWithout } from '../export/csv.ts';
import { ContactExport, ContactExportChunk } from '../export/export.entity.ts';
import { ContactImport } from '../import/import.entity.ts';

/** Pieces per statement: it stays within the statement timeout for a file of any size. */
const maxPieces = 32;

/** SQL: the default order is creation time, like that of the ids, so few pieces match the range of ids. */
const piecesWith = `
  select c.number
    from contact_export_chunks c
   where c.organization_id = $1
     and c.export_id = $2
     and c.number >= $3
     and c.number < $4
     and exists (
       select
         from unnest($5::uuid[]) as x(id)
        where x.id between c.first_id and c.last_id
          and position(convert_to(x.id::text, 'UTF8') in c.bytes) > 0)`;

/** SQL: a set. Its rows, position and search may be personal data: a failed export must be requested anew. */
const blankFailedExports = `
  with blanked as (
    update contact_exports
       set request = null, keys = null, position = null, pieces = 0, rows_done = 0, bytes = 0
     where organization_id = $1
       and state = 'failed'
       and request is not null
    returning id)
  delete from contact_export_chunks
   where organization_id = $1
     and export_id = any(array(select id from blanked))`;

/** SQL: a set of a second table. */
const dropFailedImports = `
  delete from contact_import_chunks c
   using contact_imports i
   where c.organization_id = $1
     and i.organization_id = $1
     and i.id = c.import_id
     and i.state = 'failed'`;

/** SQL: tables of deals and records, which contacts must not import. */
const dropFailedCrmImports = `
  delete from crm_import_chunks c
   using crm_imports i
   where c.organization_id = $1
     and i.organization_id = $1
     and i.id = c.import_id
     and i.state = 'failed'`;
const crmImportsInProgress = `
  select count(*)::int as total
    from crm_imports
   where organization_id = $1
     and state in ('queued', 'running')
     and created_at < $2`;

/** Without it, an export that fails or is revived between the two queries would be in neither. */
const lockExports = statement((select) => select(ContactExport).select('id').orderBy('id').forUpdate());

/** An export may have read the contact and not stored it yet. A commit takes less than a minute. */
const exportsInProgress = statement((select, { erasedAt }: { erasedAt: string }) =>
  select(ContactExport)
    .select(sql<number>`count(*)::int`.as('total'))
    .where('state', 'in', ['queued', 'running'])
    .where(sql<SqlBool>`created_at < ${erasedAt}::timestamptz + interval '1 minute'`),
);

/** A failed import keeps its file for a retry, with the contact in it. */
const importsInProgress = statement((select, { erasedAt }: { erasedAt: string }) =>
  select(ContactImport)
    .select(sql<number>`count(*)::int`.as('total'))
    .where('state', 'in', ['queued', 'running'])
    .where('created_at', '<', erasedAt),
);

const files = statement((select) => select(ContactExport).select(['id', 'pieces']));

/** Also deletes files that wait for a retry. Returns how many running imports and exports may still contain the contacts. */
export async function forgetInFiles(transact: Transact, own: Own, contactIds: string[], erasedAt: string): Promise<number> {
  const within = <Result>(work: (tx: OwnTx) => Promise<Result>) => transact({}, (tx) => work(tx.of(own.organizationId)));
  // First, so that the loop below searches an export that ends meanwhile.
  const left = await within((tx) => dropFailed(tx, erasedAt));
  for (const { id, pieces } of await files(own, {})) {
    for (let first = 0; first < pieces; first += maxPieces) {
      const chunks = await own.sql<RowOf<typeof ContactExportChunk, 'number'>>(piecesWith, [
        id,
        first,
        first + maxPieces,
        contactIds,
      ]);
      for (const { number } of chunks) await within((tx) => cut(tx, id, number, contactIds));
    }
  }
  return left;
}

async function dropFailed(tx: OwnTx, erasedAt: string): Promise<number> {
  const [imports] = await importsInProgress(tx, { erasedAt });
  const [crmImports] = await tx.sql<{ total: number }>(crmImportsInProgress, [erasedAt]);
  await tx.sql(dropFailedImports);
  await tx.sql(dropFailedCrmImports);
  await lockExports(tx, {});
  await tx.sql(blankFailedExports);
  const [exports] = await exportsInProgress(tx, { erasedAt });
  return imports!.total + crmImports!.total + exports!.total;
}

const exportForUpdate = statement((select, { id }: { id: string }) =>
  select(ContactExport).select(['rows_done', 'bytes']).where('id', '=', id).forUpdate(),
);
const chunkForUpdate = statement((select, { exportId, number }: { exportId: string; number: number }) =>
  select(ContactExportChunk)
    .select('bytes')
    .where('export_id', '=', exportId)
    .where('number', '=', number)
    .forUpdate()
    .$narrowType<{ bytes: Buffer }>(),
);

async function cut(tx: OwnTx, exportId: string, number: number, contactIds: string[]) {
  // Lock order of all writers: the export before its pieces.
  const [file] = await exportForUpdate(tx, { id: exportId });
  const [chunk] = await chunkForUpdate(tx, { exportId, number });
  if (!file || !chunk) return;
  const { file: bytes, left } = csvWithout(chunk.bytes, contactIds);
  // The id occurs in a row of another contact.
  if (left === 0) return;
  await tx.update(ContactExportChunk, { export_id: exportId, number }, { bytes });
  await tx.update(
    ContactExport,
    { id: exportId },
    { rows_done: file.rows_done - left, bytes: String(Number(file.bytes) - chunk.bytes.length + bytes.length) },
  );
}
