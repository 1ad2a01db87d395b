import type { Database } from '../../platform/database/database.ts';
import { type Own, ownRows } from '../../platform/database/own.ts';
import { statement } from '../../platform/database/statement.ts';
import { slices } from '../../platform/load/slices.ts';
import type { Secrets } from '../../platform/secrets.ts';
import { type Import, importBatch } from './batch.ts';
import { ImportFailure } from './failure.ts';
import { readHeader } from './header.ts';
import { ContactImportChunk } from './import.entity.ts';
import { readRecords } from './records.ts';
import { type Entry, rowReader } from './row.ts';

export type BatchSize = { rows: number; characters: number };
/** A larger batch costs memory, lock time and pauses of the event loop; in a smaller one the fixed cost dominates. */
export const usualBatch: BatchSize = { rows: 2_000, characters: 4_000_000 };

type Deps = { database: Database; secrets: Secrets };

const chunkBytes = statement((select, { importId, number }: { importId: string; number: number }) =>
  select(ContactImportChunk)
    .select('bytes')
    .where('import_id', '=', importId)
    .where('number', '=', number)
    .$narrowType<{ bytes: Buffer }>(),
);

async function* chunksOf(own: Own, importId: string): AsyncGenerator<Buffer> {
  for (let number = 0; ; number += 1) {
    const [chunk] = await chunkBytes(own, { importId, number });
    if (!chunk) return;
    yield chunk.bytes;
  }
}

/** Throws ImportFailure after the batch before it. */
async function* batchesOf(own: Own, importId: string, done: number, size: BatchSize): AsyncGenerator<Entry[]> {
  const records = readRecords(chunksOf(own, importId));
  const header = await records.next();
  if (header.done) throw new ImportFailure('header.missing', 'The file is empty', { line: 1 });
  const { line: headerLine } = header.value;
  const turnOfOthers = slices();
  let seen = 0;
  let batch: Entry[] = [];
  let characters = 0;
  let failure: unknown;
  try {
    const read = rowReader(readHeader(header.value.cells, headerLine));
    for await (const { cells, line } of records) {
      seen += 1;
      if (seen <= done) continue;
      batch.push(read(cells, line));
      await turnOfOthers();
      for (const cell of cells) characters += cell.length;
      if (batch.length < size.rows && characters < size.characters) continue;
      yield batch;
      batch = [];
      characters = 0;
    }
  } catch (error) {
    failure = error;
  } finally {
    await records.return(undefined);
  }
  if (batch.length > 0) yield batch;
  if (failure) throw failure;
  if (seen === 0) throw new ImportFailure('rows.missing', 'The file has no rows', { line: headerLine });
}

/** Reads the next batch while one is written. `mayGoOn` false leaves the rest to another run. */
export async function runImport(
  { database, secrets }: Deps,
  running: Import,
  done: number,
  mayGoOn: () => boolean | Promise<boolean>,
  size = usualBatch,
): Promise<'over' | 'paused'> {
  const batches = batchesOf(ownRows(database, running.organizationId), running.id, done, size);
  const read = () => {
    const next = batches.next();
    // Handled after the batch before it is written.
    next.catch(() => undefined);
    return next;
  };
  let at = done;
  try {
    for (let next = await read(); !next.done; ) {
      const following = read();
      let left = next.value;
      while (left.length > 0) {
        if (!(await mayGoOn())) return 'paused';
        const taken = await importBatch(database, secrets, running, at, left);
        at += taken;
        left = left.slice(taken);
      }
      next = await following;
    }
    return 'over';
  } finally {
    await batches.return(undefined);
  }
}
