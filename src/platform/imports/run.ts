import { ImportFailure } from '../csv/failure.ts';
import { type CsvRecord, readRecords } from '../csv/records.ts';
import { slices } from '../load/slices.ts';

export type BatchSize = { rows: number; characters: number };
/** A larger batch costs memory, lock time and what others wait for the processors, and is no faster; below 200 rows the fixed cost dominates. */
export const usualBatch: BatchSize = { rows: 500, characters: 1_000_000 };

/** What an area does with a file. */
export type FileReader<Entry> = {
  chunks: AsyncIterable<Buffer>;
  /** Throws ImportFailure before any row is read. Returns how a row is read. */
  header(cells: string[], line: number): Promise<(record: CsvRecord) => Entry> | ((record: CsvRecord) => Entry);
  /** In one transaction with the counts; returns how many of the rows it did, from the first. */
  apply(done: number, entries: Entry[]): Promise<number>;
};

/** Throws ImportFailure after the batch before it. */
async function* batchesOf<Entry>({ chunks, header }: FileReader<Entry>, done: number, size: BatchSize): AsyncGenerator<Entry[]> {
  const records = readRecords(chunks);
  const first = await records.next();
  if (first.done) throw new ImportFailure('header.missing', 'The file is empty', { line: 1 });
  const { line: headerLine } = first.value;
  const turnOfOthers = slices();
  let seen = 0;
  let batch: Entry[] = [];
  let characters = 0;
  let failure: unknown;
  try {
    const read = await header(first.value.cells, headerLine);
    for await (const record of records) {
      seen += 1;
      if (seen <= done) continue;
      batch.push(read(record));
      await turnOfOthers();
      for (const cell of record.cells) characters += cell.length;
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
export async function runFile<Entry>(
  reader: FileReader<Entry>,
  done: number,
  mayGoOn: () => boolean | Promise<boolean>,
  size = usualBatch,
): Promise<'over' | 'paused'> {
  const batches = batchesOf(reader, done, size);
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
        const taken = await reader.apply(at, left);
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
