import { contactNames } from '../../../contacts/identities/named.ts';
import { ImportFailure } from '../../../platform/csv/failure.ts';
import { customKeyOf, readHeader } from '../../../platform/csv/header.ts';
import { exportColumns } from '../export/columns.ts';
import { maxParameters, parameterName, parameterOf } from '../parameters.ts';

export const fieldColumns = ['phone_number', 'name', 'email', 'external_source', 'external_id'] as const;
export type FieldColumn = (typeof fieldColumns)[number];

export type Column =
  | { kind: 'id' | 'ignored'; name: string }
  | { kind: 'field'; name: FieldColumn }
  | { kind: 'parameter'; name: string; parameter: string };

/** `id` is that of the contact, as in an export of contacts. */
const idNames = ['contact_id', 'id'];
const otherNames: Record<string, FieldColumn> = { phone: 'phone_number' };
/** What exports of contacts and of recipients have beside. */
const ignored = ['tags', 'updated_at', ...exportColumns];
const identifying: readonly string[] = ['contact_id', ...contactNames];

/** Our columns ignore case. Named for the field, so that `phone` and `phone_number` together are one column twice. */
function columnOf(given: string): Column | undefined {
  if (customKeyOf(given) !== undefined) return { kind: 'ignored', name: given };
  const lower = given.toLowerCase();
  const parameter = parameterOf(lower);
  if (parameter !== undefined) return parameterName.test(parameter) ? { kind: 'parameter', name: lower, parameter } : undefined;
  if (idNames.includes(lower)) return { kind: 'id', name: 'contact_id' };
  const name = Object.hasOwn(otherNames, lower) ? otherNames[lower]! : lower;
  if ((fieldColumns as readonly string[]).includes(name)) return { kind: 'field', name: name as FieldColumn };
  return ignored.includes(name) ? { kind: 'ignored', name } : undefined;
}

/** Without a header the first line is a person: never quote it. */
const missing = () => 'The first line must name the columns, with commas between them: phone_number,param.code';

/** Throws ImportFailure before any row is read. */
export function readColumns(cells: string[], line: number): Column[] {
  const columns = readHeader<Column>(cells, line, { columnOf, missing });
  if (!columns.some(({ name }) => identifying.includes(name))) {
    const message = 'One of the columns contact_id, phone_number, email, external_id is needed';
    throw new ImportFailure('header.identity', message, { line });
  }
  if (columns.filter(({ kind }) => kind === 'parameter').length > maxParameters)
    throw new ImportFailure('header.parameters', `A file has at most ${maxParameters} columns param.<name>`, { line });
  return columns;
}
