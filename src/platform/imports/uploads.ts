import type { Own } from '../database/own.ts';
import { AppError, notFound } from '../errors.ts';
import { uuidv7 } from '../ids.ts';
import type { OwnTx } from '../ledger/tx.ts';
import type { ImportTables } from './tables.ts';

export type Upload = { importId: string; bytes: number; checksum: Buffer };

const tooManyQueued = (max: number) =>
  new AppError(
    'limit_reached',
    `An organization has at most ${max} imports that wait or run: upload the file when one has ended`,
  );

/** SQL: of any area's tables; a chunk is a large value, written outside a transaction. */
const statementsOf = ({ imports, chunks }: ImportTables) => ({
  // A request ends after 30 minutes: the process of an older upload has died.
  countOpen: `
    select count(*)::int as total
      from ${imports}
     where organization_id = $1
       and (state in ('queued', 'running') or (state = 'uploading' and created_at > clock_timestamp() - interval '30 minutes'))`,
  begin: `
    insert into ${imports} (organization_id, id, state, actor)
    values ($1, $2, 'uploading', $3)`,
  storeChunk: `
    insert into ${chunks} (organization_id, import_id, number, bytes)
    values ($1, $2, $3, $4)`,
  drop: `
    delete from ${imports}
     where organization_id = $1
       and id = $2
       and state = 'uploading'`,
  queue: `
    update ${imports}
       set state = 'queued', bytes = $3, checksum = $4, updated_at = clock_timestamp()
     where organization_id = $1
       and id = $2
       and state = 'uploading'
    returning id`,
  chunk: `
    select bytes
      from ${chunks}
     where organization_id = $1
       and import_id = $2
       and number = $3`,
});

/** Files on their way into the tables, and out of them. */
export function uploadsIn(tables: ImportTables) {
  const statements = statementsOf(tables);
  return {
    tables,
    /** Throws 422 at `maxQueued`. Needs the import lane: two concurrent uploads would both pass the limit. */
    async begin(tx: OwnTx, actor: string, maxQueued?: number): Promise<string> {
      tx.assertLocked(tables.lane(tx.organizationId));
      if (maxQueued !== undefined) {
        const [open] = await tx.sql<{ total: number }>(statements.countOpen);
        if (open!.total >= maxQueued) throw tooManyQueued(maxQueued);
      }
      const id = uuidv7();
      await tx.sql(statements.begin, [id, actor]);
      return id;
    },
    async storeChunk(own: Own, id: string, number: number, bytes: Buffer): Promise<void> {
      await own.sql(statements.storeChunk, [id, number, bytes]);
    },
    /** A queued import belongs to its job. */
    async drop(own: Own, id: string): Promise<void> {
      await own.sql(statements.drop, [id]);
    },
    /** Throws 404. Needs the import lane. */
    async queue(tx: OwnTx, { importId, bytes, checksum }: Upload): Promise<void> {
      tx.assertLocked(tables.lane(tx.organizationId));
      const queued = await tx.sql(statements.queue, [importId, String(bytes), checksum]);
      if (queued.length === 0) throw notFound('Import');
    },
    /** The stored file, a piece at a time. */
    async *chunksOf(own: Own, importId: string): AsyncGenerator<Buffer> {
      for (let number = 0; ; number += 1) {
        const [chunk] = await own.sql<{ bytes: Buffer }>(statements.chunk, [importId, number]);
        if (!chunk) return;
        yield chunk.bytes;
      }
    },
  };
}

export type Uploads = ReturnType<typeof uploadsIn>;
