import { type SqlBool, sql } from 'kysely';
import { now } from '../../platform/database/columns.ts';
import type { Own } from '../../platform/database/own.ts';
import { statement } from '../../platform/database/statement.ts';
import type { RowOf } from '../../platform/database/tables.ts';
import { AppError, notFound } from '../../platform/errors.ts';
import { uuidv7 } from '../../platform/ids.ts';
import { ensureSharedPool } from '../../platform/ledger/pools.ts';
import type { OwnTx, TenantTx } from '../../platform/ledger/tx.ts';
import { list } from '../../platform/listing/paging.ts';
import { ContactImport } from './import.entity.ts';
import { importContactsJob, importLane, importPool, importPoolWidth } from './jobs.ts';

const columns = [
  'id',
  'state',
  'rows_done',
  'created_count',
  'updated_count',
  'unchanged_count',
  'failed_count',
  'failure',
  'created_at',
  'finished_at',
] as const;
export type ImportRow = RowOf<typeof ContactImport, (typeof columns)[number]>;

const importById = statement((select, { id }: { id: string }) => select(ContactImport).select(columns).where('id', '=', id));

export async function getImport(own: Own, id: string): Promise<ImportRow> {
  const [row] = await importById(own, { id });
  if (!row) throw notFound('Import');
  return row;
}

export const listImports = list((select, _: object) => select(ContactImport).select(columns));

/** A request ends after 30 minutes: the process of an older upload has died. */
const openImports = statement((select) =>
  select(ContactImport)
    .select(sql<number>`count(*)::int`.as('total'))
    .where(
      sql<SqlBool>`(state in ('queued', 'running') or (state = 'uploading' and created_at > clock_timestamp() - interval '30 minutes'))`,
    ),
);

/** Throws 422 at `maxQueued`. Needs the import lane: two concurrent uploads would both pass the limit. */
export async function beginUpload(tx: OwnTx, actor: string, maxQueued?: number): Promise<string> {
  tx.assertLocked(importLane(tx.organizationId));
  if (maxQueued !== undefined) {
    const [open] = await openImports(tx, {});
    if (open!.total >= maxQueued) throw tooManyQueued(maxQueued);
  }
  const id = uuidv7();
  await tx.insert(ContactImport, { id, state: 'uploading', actor });
  return id;
}

const tooManyQueued = (max: number) =>
  new AppError(
    'limit_reached',
    `An organization has at most ${max} imports that wait or run: upload the file when one has ended`,
  );

/** SQL: a large value, written outside a transaction. */
const insertChunk = `
  insert into contact_import_chunks (organization_id, import_id, number, bytes)
  values ($1, $2, $3, $4)`;

export async function storeChunk(own: Own, id: string, number: number, bytes: Buffer): Promise<void> {
  await own.sql(insertChunk, [id, number, bytes]);
}

/** SQL: outside a transaction, when the request is over. */
const deleteUpload = `
  delete from contact_imports
   where organization_id = $1
     and id = $2
     and state = 'uploading'`;

/** A queued import belongs to its job. */
export async function dropUpload(own: Own, id: string): Promise<void> {
  await own.sql(deleteUpload, [id]);
}

export type Upload = { importId: string; bytes: number; checksum: Buffer };

export async function queueImport(ledgerTx: TenantTx, { importId, bytes, checksum }: Upload) {
  const tx = ledgerTx.own;
  const lane = importLane(tx.organizationId);
  tx.assertLocked(lane);
  const queued = await tx.update(
    ContactImport,
    { id: importId, state: 'uploading' },
    { state: 'queued', bytes: String(bytes), checksum, updated_at: now() },
  );
  if (queued === 0) throw notFound('Import');
  await ensureSharedPool(ledgerTx, importPool, importPoolWidth);
  const operationId = tx.enqueue(importContactsJob, { import_id: importId }, { lane, pool: importPool });
  return { row: await getImport(tx, importId), operationId };
}
