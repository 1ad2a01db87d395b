import { Readable } from 'node:stream';
import { stringify } from 'csv-stringify';
import { customColumn, fieldColumns, idColumn, tagsColumn, timeColumns } from '../csv/columns.ts';
import { toCustomCell } from '../csv/custom-cell.ts';
import { neutralised } from '../csv/formulas.ts';
import { toTagsCell } from '../csv/tags-cell.ts';
import type { ContactRow } from '../queries.ts';
import type { Selection } from './selection.ts';

async function* cellsOf(selection: Selection, keys: string[]): AsyncGenerator<string[]> {
  yield [idColumn, ...fieldColumns, tagsColumn, ...keys.map(customColumn), ...timeColumns];
  for await (const rows of selection.pages()) for (const row of rows) yield cellsOfRow(row, keys).map(neutralised);
}

const cellsOfRow = (row: ContactRow, keys: string[]) => [
  row.id,
  ...fieldColumns.map((column) => row[column]),
  toTagsCell(row.tags),
  ...keys.map((key) => (Object.hasOwn(row.custom_fields, key) ? toCustomCell(row.custom_fields[key]) : '')),
  ...timeColumns.map((column) => new Date(row[column]).toISOString()),
];

/** Contacts as a CSV file, which an import reads back as they were. A page is read when the one before has left. */
export function contactsAsCsv(selection: Selection, keys: string[]): Readable {
  const rows = Readable.from(cellsOf(selection, keys), { highWaterMark: 64 });
  // A line break of any kind within a cell needs quotes, whichever ends the rows.
  const csv = stringify({ record_delimiter: '\r\n', quoted_match: /[\r\n]/ });
  rows.once('error', (error) => csv.destroy(error));
  csv.once('close', () => rows.destroy());
  return rows.pipe(csv);
}
