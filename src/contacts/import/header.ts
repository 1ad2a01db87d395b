import { customKeyOf, type FieldColumn, fieldColumns, idColumn, maxColumns, tagsColumn, timeColumns } from '../csv/columns.ts';
import { restored } from '../csv/formulas.ts';
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

/** Our columns ignore case; custom fields are the client's. */
function columnOf(given: string): Column | undefined {
  const name = customKeyOf(given) === undefined ? given.toLowerCase() : given;
  if ((fieldColumns as readonly string[]).includes(name)) return { kind: 'field', name: name as FieldColumn };
  if (name === idColumn) return { kind: 'id', name };
  if (name === tagsColumn) return { kind: 'tags', name };
  if (ignored.includes(name)) return { kind: 'ignored', name };
  const key = customKeyOf(name);
  if (key === undefined || customFields.validate(JSON.parse(`{${JSON.stringify(key)}: ""}`)).error) return undefined;
  return { kind: 'custom', name, key };
}

/** Without a header the first line is a person: never quote it. */
const missing = (names: string[]) =>
  names.length === 1
    ? 'The first line must name the columns, with commas between them: phone_number,name,email'
    : 'The first line must name the columns, and none of its cells is the name of one: phone_number, name, email, external_source, external_id, tags, custom_fields.…';

/** Throws ImportFailure before any row is read. */
export function readHeader(cells: string[], line: number): Column[] {
  if (cells.length > maxColumns) {
    const message = `The first line has ${cells.length} columns; a file has at most ${maxColumns}`;
    throw new ImportFailure('header.columns', message, { line });
  }
  const names = cells.map((cell) => restored(cell).trim());
  const columns = names.map(columnOf);
  if (!columns.some((column) => column)) throw new ImportFailure('header.missing', missing(names), { line });
  const unknown = columns.indexOf(undefined);
  if (unknown >= 0) {
    const column = names[unknown]!.slice(0, 200);
    const place = column === '' ? `Column ${unknown + 1} has no name` : `There is no column ${column}`;
    throw new ImportFailure('header.unknown', place, { line, column });
  }
  const known = columns.map((column) => column!.name);
  const seen = new Set<string>();
  const twice = known.find((name) => seen.size === seen.add(name).size);
  if (twice) throw new ImportFailure('header.duplicate', `The column ${twice} stands there twice`, { line, column: twice });
  if (!known.some((name) => identifying.includes(name)))
    throw new ImportFailure('header.identity', `One of the columns ${identifying.join(', ')} is needed`, { line });
  return columns as Column[];
}
