import { customKeyOf, type FieldColumn, fieldColumns, idColumn, tagsColumn, timeColumns } from '../csv/columns.ts';
import { customFields } from '../fields.ts';
import { ImportFailure } from './failure.ts';

export type Column =
  | { kind: 'id'; name: string }
  | { kind: 'field'; name: FieldColumn }
  | { kind: 'custom'; name: string; key: string }
  | { kind: 'tags'; name: string }
  | { kind: 'ignored'; name: string };

const ignored: readonly string[] = timeColumns;
const identifying: readonly string[] = [idColumn, 'phone_number', 'email', 'external_id'];

function columnOf(name: string): Column | undefined {
  if ((fieldColumns as readonly string[]).includes(name)) return { kind: 'field', name: name as FieldColumn };
  if (name === idColumn) return { kind: 'id', name };
  if (name === tagsColumn) return { kind: 'tags', name };
  if (ignored.includes(name)) return { kind: 'ignored', name };
  const key = customKeyOf(name);
  if (key === undefined || customFields.validate(JSON.parse(`{${JSON.stringify(key)}: ""}`)).error) return undefined;
  return { kind: 'custom', name, key };
}

/** What stands in each column. Throws ImportFailure, before a row has been read. */
export function readHeader(cells: string[], line: number): Column[] {
  const names = cells.map((cell) => cell.trim());
  const columns = names.map(columnOf);
  if (!columns.some((column) => column))
    throw new ImportFailure('header.missing', 'The first line must name the columns: phone_number, name, email …', { line });
  const unknown = columns.indexOf(undefined);
  if (unknown >= 0) {
    const column = names[unknown]!.slice(0, 200);
    const place = column === '' ? `Column ${unknown + 1} has no name` : `There is no column ${column}`;
    throw new ImportFailure('header.unknown', place, { line, column });
  }
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice) throw new ImportFailure('header.duplicate', `The column ${twice} stands there twice`, { line, column: twice });
  if (!names.some((name) => identifying.includes(name)))
    throw new ImportFailure('header.identity', `One of the columns ${identifying.join(', ')} is needed`, { line });
  return columns as Column[];
}
