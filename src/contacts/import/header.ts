import { ImportFailure } from '../../platform/csv/failure.ts';
import { customKeyOf, readHeader as readColumns } from '../../platform/csv/header.ts';
import { type FieldColumn, fieldColumns, idColumn, tagsColumn, timeColumns } from '../csv/columns.ts';
import { customFields } from '../fields.ts';

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
  const columns = readColumns<Column>(cells, line, { columnOf, missing });
  if (!columns.some(({ name }) => identifying.includes(name)))
    throw new ImportFailure('header.identity', `One of the columns ${identifying.join(', ')} is needed`, { line });
  return columns;
}
