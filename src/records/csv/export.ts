import { setImmediate as turnOfOthers } from 'node:timers/promises';
import { neutralised } from '../../platform/csv/formulas.ts';
import { csvOf } from '../../platform/csv/write.ts';
import type { Listing } from '../../platform/listing/listing.ts';
import { type AskOnce, pagesOf } from '../../platform/listing/pages.ts';
import type { Reads } from '../../platform/listing/reads.ts';
import { iso } from '../../platform/time/moment.ts';
import { recordsOf } from '../list.ts';
import type { RecordRow } from '../record-row.ts';
import type { Field, ObjectType } from '../types/definition.ts';
import { toCell } from './cells.ts';

/** `isText`: words of people, which a spreadsheet may take for a formula. */
type Column = { name: string; cell: (row: RecordRow) => string; isText?: true };

const ofField = (field: Field): Column => ({
  name: field.name,
  cell: ({ fields }) => (Object.hasOwn(fields, field.name) ? toCell(field, fields[field.name]) : ''),
  // A negative number is none.
  ...(field.type !== 'number' && field.type !== 'integer' && { isText: true }),
});

/** An import reads all of them, or passes them over. */
const columnsOf = ({ fields }: ObjectType): Column[] => [
  { name: 'id', cell: (row) => row.id },
  { name: 'display_name', cell: (row) => row.display_name, isText: true },
  ...fields.map(ofField),
  { name: 'custom_fields', cell: (row) => JSON.stringify(row.custom_fields), isText: true },
  { name: 'metadata', cell: (row) => JSON.stringify(row.metadata), isText: true },
  { name: 'revision', cell: (row) => String(row.revision) },
  { name: 'created_at', cell: (row) => iso(row.created_at) },
  { name: 'updated_at', cell: (row) => iso(row.updated_at) },
];

/** Rows made between pauses: other work runs. */
const sliceRows = 100;

/** A page is read when the consumer needs it. A search of each page takes a place among the organization's. */
export async function* recordsAsCsv(
  reads: Reads,
  organizationId: string,
  type: ObjectType,
  listing: Listing,
  { isRaw }: { isRaw: boolean },
): AsyncGenerator<string> {
  const askOnce: AskOnce = listing.unindexed > 0 ? (work) => reads.dear(organizationId, work) : (work) => work(reads.plain);
  const columns = columnsOf(type);
  const record = (row: RecordRow) => columns.map(({ cell, isText }) => (isText && !isRaw ? neutralised(cell(row)) : cell(row)));
  yield csvOf([columns.map(({ name }) => name)]);
  for await (const page of pagesOf<RecordRow>(askOnce, recordsOf(type), organizationId, listing))
    for (let at = 0; at < page.length; at += sliceRows) {
      yield csvOf(page.slice(at, at + sliceRows).map(record));
      await turnOfOthers();
    }
}
