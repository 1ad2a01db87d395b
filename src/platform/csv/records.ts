import { Readable } from 'node:stream';
import { setImmediate as pause } from 'node:timers/promises';
import { type Info, parse } from 'csv-parse';
import { slices } from '../load/slices.ts';
import { ImportFailure } from './failure.ts';

export type CsvRecord = { cells: string[] /** Where it begins in the file, from 1. */; line: number };

/** An unclosed quote makes the rest of the file one cell, which must not be kept in memory. */
const maxRecordCharacters = 1024 * 1024;
const pieceBytes = 8 * 1024;

const reasons: Record<string, string> = {
  CSV_QUOTE_NOT_CLOSED: 'A quote is opened and never closed',
  INVALID_OPENING_QUOTE: 'A quote stands within a cell that does not begin with one; write it twice, in a cell in quotes',
  CSV_INVALID_CLOSING_QUOTE: 'After a closing quote another cell or line must follow; a quote within a cell is written twice',
  CSV_MAX_RECORD_SIZE: 'A row is larger than 1 MiB; perhaps a quote is not closed',
};

/** Pauses between pieces let other work of the process run. */
async function* inPieces(chunks: AsyncIterable<Buffer>, isWanted: () => boolean) {
  for await (const chunk of chunks)
    for (let at = 0; at < chunk.length; at += pieceBytes) {
      if (!isWanted()) return;
      yield chunk.subarray(at, at + pieceBytes);
      await pause();
    }
}

const [lineFeed, carriageReturn] = [10, 13];

/** A cell may contain a million line breaks. */
function linesWithin(cell: string): number {
  let lines = 0;
  if (!/[\r\n]/.test(cell)) return lines;
  for (let at = 0; at < cell.length; at += 1) {
    const code = cell.charCodeAt(at);
    if (code === carriageReturn || (code === lineFeed && cell.charCodeAt(at - 1) !== carriageReturn)) lines += 1;
  }
  return lines;
}

const cellsBetweenPauses = 1_000;

/** Throws ImportFailure after the last valid record. */
export async function* readRecords(chunks: AsyncIterable<Buffer>): AsyncGenerator<CsvRecord> {
  let fault: { code: string; records: number; emptyLines: number } | undefined;
  const parser = parse({
    bom: true,
    info: true,
    relax_column_count: true,
    skip_empty_lines: true,
    record_delimiter: ['\r\n', '\n', '\r'],
    max_record_size: maxRecordCharacters,
    // An error would discard earlier unread records: keep it and throw it after them.
    skip_records_with_error: true,
    on_skip: (error) => {
      fault ??= { code: error?.code ?? '', records: parser.info.records, emptyLines: parser.info.empty_lines };
      return undefined;
    },
  });
  const source = Readable.from(
    inPieces(chunks, () => fault === undefined),
    { objectMode: false },
  );
  source.once('error', (error) => parser.destroy(error));
  const turnOfOthers = slices();
  let given = 0;
  // The parser counts a line break within quotes twice.
  let next = 1;
  try {
    for await (const { record: cells, info } of source.pipe(parser) as AsyncIterable<{ record: string[]; info: Info }>) {
      if (fault && given >= fault.records) break;
      yield { cells, line: next + info.empty_lines };
      given += 1;
      next += 1;
      for (let at = 0; at < cells.length; at += 1) {
        next += linesWithin(cells[at]!);
        if (at % cellsBetweenPauses === cellsBetweenPauses - 1) await turnOfOthers();
      }
    }
  } finally {
    source.destroy();
  }
  if (fault) {
    const line = next + fault.emptyLines;
    throw new ImportFailure('csv', reasons[fault.code] ?? 'The line cannot be read as CSV', { line });
  }
}
