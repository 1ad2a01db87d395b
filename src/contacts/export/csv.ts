import { toCustomCell } from '../../platform/csv/custom-cell.ts';
import { neutralised } from '../../platform/csv/formulas.ts';
import { customColumn } from '../../platform/csv/header.ts';
import { toListCell } from '../../platform/csv/list-cell.ts';
import { csvOf } from '../../platform/csv/write.ts';
import { fieldColumns, idColumn, tagsColumn, timeColumns } from '../csv/columns.ts';
import type { ContactRow } from '../queries.ts';
import type { Selection } from './selection.ts';

/** `isRaw`: for programs, which do not evaluate formulas. */
export type CsvForm = { isRaw?: boolean };

const inForm = (cells: string[], { isRaw = false }: CsvForm) => (isRaw ? cells : cells.map(neutralised));

export const csvHeader = (keys: string[], form: CsvForm = {}) =>
  csvOf([inForm([idColumn, ...fieldColumns, tagsColumn, ...keys.map(customColumn), ...timeColumns], form)]);

export const csvRows = (rows: ContactRow[], keys: string[], form: CsvForm = {}) =>
  csvOf(rows.map((row) => inForm(cellsOf(row, keys), form)));

const cellsOf = (row: ContactRow, keys: string[]) => [
  row.id,
  ...fieldColumns.map((column) => row[column]),
  toListCell(row.tags),
  ...keys.map((key) => (Object.hasOwn(row.custom_fields, key) ? toCustomCell(row.custom_fields[key]) : '')),
  ...timeColumns.map((column) => new Date(row[column]).toISOString()),
];

/** An import reads the file back unchanged unless it is raw. A page is read when the consumer needs it. */
export async function* contactsAsCsv(selection: Selection, keys: string[], form: CsvForm): AsyncGenerator<string> {
  yield csvHeader(keys, form);
  for await (const rows of selection.slices()) yield csvRows(rows, keys, form);
}

const [quote, lineFeed] = [0x22, 0x0a];
const idLength = 36;

/** Keeps the other rows byte for byte. It only searches for row ends: a CSV parser would take minutes for 1,000 contacts. */
export function csvWithout(file: Buffer, contactIds: string[]): { file: Buffer; left: number } {
  const removed = new Set(contactIds);
  const kept: Buffer[] = [];
  let left = 0;
  let begin = 0;
  for (const end of rowEnds(file)) {
    if (removed.has(file.toString('latin1', begin, begin + idLength))) left += 1;
    else kept.push(file.subarray(begin, end));
    begin = end;
  }
  return { file: Buffer.concat(kept), left };
}

/** A quote within a cell is doubled. `indexOf` is faster than a loop over bytes. */
function* rowEnds(file: Buffer): Generator<number> {
  let [at, nextQuote, end] = [0, file.indexOf(quote), file.indexOf(lineFeed)];
  while (end >= 0) {
    if (nextQuote < 0 || nextQuote > end) {
      at = end + 1;
      yield at;
    } else {
      const closing = file.indexOf(quote, nextQuote + 1);
      if (closing < 0) return;
      at = closing + 1;
      nextQuote = file.indexOf(quote, at);
    }
    // Each byte is read once: a row may have thousands of quotes.
    if (end < at) end = file.indexOf(lineFeed, at);
  }
}
