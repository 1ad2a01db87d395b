import type { Database } from '../../platform/database/database.ts';
import { query } from '../../platform/database/query.ts';
import type { Transact } from '../../platform/ledger/transact.ts';
import { csvWithout } from '../export/csv.ts';

/** So many pieces are searched in a statement: a file of any size stays within the longest one may take. */
const windowPieces = 32;

/** In the usual order, that of creation, a piece holds ids of one time: few have to be read. */
const found = `
  select c.number from contact_export_chunks c where c.organization_id = $1 and c.export_id = $2 and c.number >= $3 and c.number < $3 + ${windowPieces}
     and exists (select from unnest($4::uuid[]) as x(id)
       where x.id between c.first_id and c.last_id and position(convert_to(x.id::text, 'UTF8') in c.bytes) > 0)`;

/** None fails or is revived between the look at those that failed and that at those under way: it would be in neither. */
const holdStates = 'select 1 from contact_exports where organization_id = $1 order by id for update';

/** What has failed waits for a retry, with rows, a place in the list and search words that may be the person's: it must be asked for anew. */
const blankFailed = `
  with blanked as (
    update contact_exports set request = null, keys = null, position = null, pieces = 0, rows_done = 0, bytes = 0
     where organization_id = $1 and state = 'failed' and request is not null returning id)
  delete from contact_export_chunks where organization_id = $1 and export_id = any(array(select id from blanked))`;

const dropFailedImports = `
  delete from contact_import_chunks c using contact_imports i
   where c.organization_id = $1 and i.organization_id = $1 and i.id = c.import_id and i.state = 'failed'`;

/** An export that was asked for before he was forgotten may have read him and not stored it yet; a commit takes no longer. */
const underWay = `
  select count(*)::int as n from contact_exports
   where organization_id = $1 and state in ('queued', 'running') and created_at < $2::timestamptz + interval '1 minute'`;

/** An import that fails keeps its file, for a retry: with him in it. */
const importsUnderWay = `
  select count(*)::int as n from contact_imports
   where organization_id = $1 and state in ('queued', 'running') and created_at < $2::timestamptz`;

/**
 * Takes a person out of the files that stand ready, and what could not be read of it out of those that wait for a retry. How many
 * imports and exports are under way that may still hold him.
 */
export async function forgetInFiles(
  database: Database,
  transact: Transact,
  organizationId: string,
  contactIds: string[],
  erasedAt: string,
): Promise<number> {
  // Before the look: one that ends meanwhile is looked at.
  const left = await transact({}, async (tx) => {
    const [imports] = await tx.query<{ n: number }>(importsUnderWay, [organizationId, erasedAt]);
    await tx.query(dropFailedImports, [organizationId]);
    await tx.query(holdStates, [organizationId]);
    await tx.query(blankFailed, [organizationId]);
    const [exports] = await tx.query<{ n: number }>(underWay, [organizationId, erasedAt]);
    return imports!.n + exports!.n;
  });
  const exports = await query<{ id: string; pieces: number }>(
    database,
    'select id, pieces from contact_exports where organization_id = $1',
    [organizationId],
  );
  for (const { id, pieces } of exports) {
    for (let first = 0; first < pieces; first += windowPieces) {
      const chunks = await query<{ number: number }>(database, found, [organizationId, id, first, contactIds]);
      for (const { number } of chunks) await cut(transact, organizationId, id, number, contactIds);
    }
  }
  return left;
}

const cut = (transact: Transact, organizationId: string, exportId: string, number: number, contactIds: string[]) =>
  transact({}, async (tx) => {
    const at = [organizationId, exportId, number];
    const where = 'organization_id = $1 and export_id = $2 and number = $3';
    // As who deletes or writes an export: the export before its pieces.
    await tx.query('select 1 from contact_exports where organization_id = $1 and id = $2 for update', [organizationId, exportId]);
    const [chunk] = await tx.query<{ bytes: Buffer }>(`select bytes from contact_export_chunks where ${where} for update`, at);
    if (!chunk) return;
    const { file: bytes, left } = csvWithout(chunk.bytes, contactIds);
    // The id stood in somebody else's row.
    if (left === 0) return;
    await tx.query(`update contact_export_chunks set bytes = $4 where ${where}`, [...at, bytes]);
    await tx.query(
      'update contact_exports set rows_done = rows_done - $3, bytes = bytes - $4::int where organization_id = $1 and id = $2',
      [organizationId, exportId, left, chunk.bytes.length - bytes.length],
    );
  });
