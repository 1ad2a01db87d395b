import type Joi from 'joi';
import { contactEmail, contactName, externalId, externalSource } from '../../../contacts/fields.ts';
import type { RefusedPhone } from '../../../contacts/identities/named-phones.ts';
import { type PhoneContext, phoneNumber } from '../../../contacts/identities/phone.ts';
import { identitiesOfFields } from '../../../contacts/upsert.ts';
import { restored } from '../../../platform/csv/formulas.ts';
import { cellsFault } from '../../../platform/csv/header.ts';
import type { CsvRecord } from '../../../platform/csv/records.ts';
import { isUuid } from '../../../platform/ids.ts';
import type { BadRow, RowError } from '../../../platform/imports/progress.ts';
import type { Parameters } from '../parameters.ts';
import { parameterValue } from '../parameters.ts';
import type { NamedPerson, Way } from '../people.ts';
import type { Column, FieldColumn } from './header.ts';

/** `parameters` undefined: the file has no such columns. */
export type ReadRecipient = NamedPerson & { line: number; parameters?: Parameters };
export type Entry = ReadRecipient | RefusedPhone<ReadRecipient | BadRow>;
export const isBad = (entry: Entry): entry is RefusedPhone<ReadRecipient | BadRow> => 'errors' in entry;

/** Joi puts the label into its messages: use the column, never the value. */
const check = (column: string, schema: Joi.Schema) => schema.label(column).prefs({ errors: { wrap: { label: false } } });

const rules: Record<FieldColumn, Joi.Schema> = {
  phone_number: phoneNumber,
  name: contactName,
  email: contactEmail,
  external_source: externalSource,
  external_id: externalId,
};
/** Longer than any value: refused before it is looked at. */
const maxCellCharacters = 4 * 1024;
/** A row has up to 500 cells. */
const maxErrors = 20;

/** An empty cell says nothing; an empty cell of a parameter is an empty text. */
export function rowReader(columns: Column[]): (record: CsvRecord) => Entry {
  const hasParameters = columns.some(({ kind }) => kind === 'parameter');
  const checks = columns.map((column) => {
    if (column.kind === 'field') return check(column.name, rules[column.name]);
    return column.kind === 'parameter' ? check(column.name, parameterValue) : undefined;
  });
  return function read({ cells, line }: CsvRecord, context?: PhoneContext): Entry {
    const miscounted = cellsFault(cells, columns);
    if (miscounted) return { line, errors: [miscounted] };
    const errors: RowError[] = [];
    const fields: NamedPerson['fields'] = {};
    const parameters: Parameters = {};
    let id: string | undefined;
    let phone: string | undefined;
    for (const [index, column] of columns.entries()) {
      const cell = restored(cells[index]!);
      const isSilent = column.kind === 'ignored' || (column.kind !== 'parameter' && cell.trim() === '');
      if (isSilent) continue;
      const { name } = column;
      if (column.kind === 'id') {
        id = cell.trim().toLowerCase();
        if (!isUuid(id)) errors.push({ column: name, code: 'string.guid', message: `${name} must be the id of a contact` });
        continue;
      }
      if (cell.length > maxCellCharacters) {
        errors.push({ column: name, code: 'string.max', message: `${name} is too long` });
        continue;
      }
      const { value, error } = checks[index]!.validate(cell, { context });
      if (error?.details[0]?.type === 'phone.possible') phone = cell;
      if (error) errors.push({ column: name, code: error.details[0]!.type, message: error.message });
      else if (column.kind === 'parameter') parameters[column.parameter] = value;
      else if (column.kind === 'field') fields[column.name] = value;
    }
    const lacked = lackedBy(fields);
    if (lacked && errors.length === 0)
      errors.push({ column: lacked, code: 'object.and.external', message: `${lacked} is missing: it and the other go together` });
    if (errors.length > 0)
      return {
        line,
        errors: errors.slice(0, maxErrors),
        ...(phone !== undefined && !context && { phone, again: (known: PhoneContext) => read({ cells, line }, known) }),
      };
    const ways = waysOf(id, fields);
    if (ways.length > 0) return { line, ways, fields, ...(hasParameters && { parameters }) };
    const message = 'A recipient needs a contact_id, a phone_number, an email or an external_id';
    return { line, errors: [{ column: '', code: 'object.missing', message }] };
  };
}

function lackedBy({ external_id, external_source }: NamedPerson['fields']): string | undefined {
  if (Boolean(external_id) === Boolean(external_source)) return undefined;
  return external_id ? 'external_source' : 'external_id';
}

function waysOf(contactId: string | undefined, { phone_number, email, external_source, external_id }: NamedPerson['fields']) {
  const ways: Way[] = contactId === undefined ? [] : [{ at: 'contact_id', contactId }];
  if (phone_number) ways.push({ at: 'phone_number', identities: identitiesOfFields({ phone_number }) });
  if (email) ways.push({ at: 'email', identities: identitiesOfFields({ email }) });
  if (external_id) ways.push({ at: 'external_id', identities: identitiesOfFields({ external_source, external_id }) });
  return ways;
}
