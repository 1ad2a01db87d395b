import { Readable } from 'node:stream';
import { parse } from 'csv-parse/sync';
import { stringify } from 'csv-stringify/sync';
import { customColumn, fieldColumns, idColumn, tagsColumn, timeColumns } from '../csv/columns.ts';
import { toCustomCell } from '../csv/custom-cell.ts';
import { neutralised } from '../csv/formulas.ts';
import { toTagsCell } from '../csv/tags-cell.ts';
import type { ContactRow } from '../queries.ts';
import type { Selection } from './selection.ts';

// A line break of any kind within a cell needs quotes, whichever ends the rows.
const csvOf = (records: string[][]) => stringify(records, { record_delimiter: '\r\n', quoted_match: /[\r\n]/ });

export const csvHeader = (keys: string[]) =>
  csvOf([[idColumn, ...fieldColumns, tagsColumn, ...keys.map(customColumn), ...timeColumns].map(neutralised)]);

export const csvRows = (rows: ContactRow[], keys: string[]) => csvOf(rows.map((row) => cellsOf(row, keys).map(neutralised)));

const cellsOf = (row: ContactRow, keys: string[]) => [
  row.id,
  ...fieldColumns.map((column) => row[column]),
  toTagsCell(row.tags),
  ...keys.map((key) => (Object.hasOwn(row.custom_fields, key) ? toCustomCell(row.custom_fields[key]) : '')),
  ...timeColumns.map((column) => new Date(row[column]).toISOString()),
];

/** Contacts as a CSV file, which an import reads back as they were. A page is read when the one before has left. */
export const contactsAsCsv = (selection: Selection, keys: string[]): Readable =>
  Readable.from(textOf(selection, keys), { highWaterMark: 2 });

async function* textOf(selection: Selection, keys: string[]): AsyncGenerator<string> {
  yield csvHeader(keys);
  for await (const rows of selection.slices()) yield csvRows(rows, keys);
}

/** Whole rows of such a file without those of some contacts. */
export function csvWithout(text: string, contactIds: string[]): { text: string; left: number } {
  const records = parse(text, { record_delimiter: '\r\n', relax_column_count: true }) as string[][];
  const kept = records.filter(([id]) => !contactIds.includes(id!));
  return { text: csvOf(kept), left: records.length - kept.length };
}
