import Joi from 'joi';
import { customFields, metadata } from '../../contacts/fields.ts';
import type { Identity } from '../../contacts/identities/identity.ts';
import { type ContactName, identityNamed } from '../../contacts/identities/named.ts';
import { amountMinor, currencyCode } from '../../money/schemas.ts';
import { readCustomCell } from '../../platform/csv/custom-cell.ts';
import { restored } from '../../platform/csv/formulas.ts';
import { cellsFault } from '../../platform/csv/header.ts';
import { readListCell } from '../../platform/csv/list-cell.ts';
import type { CsvRecord } from '../../platform/csv/records.ts';
import { isUuid } from '../../platform/ids.ts';
import type { BadRow, RowError } from '../../platform/imports/progress.ts';
import { numberFault } from '../../platform/kept-numbers.ts';
import type { ZoneContext } from '../../platform/schemas/moment.ts';
import { faultIn } from '../../platform/storable.ts';
import { dealStatuses } from '../deal.entity.ts';
import { dealTitle, expectedCloseAt, lostReason } from '../given.ts';
import { maxContactsOfDeal } from '../links/contacts.ts';
import type { Column, FieldColumn } from './header.ts';

type Object = Record<string, unknown>;
export type NamedContact = { column: string; id: string } | { column: string; identity: Identity };

export type ReadDeal = {
  line: number;
  /** Of a deal that is there. */
  id?: string;
  values: Partial<Record<FieldColumn, string>>;
  custom?: Object;
  metadata?: Object;
  contacts: NamedContact[];
};
export type Entry = ReadDeal | BadRow;
export const isBad = (entry: Entry): entry is BadRow => 'errors' in entry;

/** Joi puts the label into its messages: use the column, never the value. */
const check = (column: string, schema: Joi.Schema) => schema.label(column).prefs({ errors: { wrap: { label: false } } });

const name = Joi.string().trim().max(200);
const schemas: Record<FieldColumn, Joi.Schema> = {
  title: dealTitle,
  status: Joi.string()
    .trim()
    .lowercase()
    .valid(...dealStatuses),
  amount_minor: amountMinor.trim(),
  amount: Joi.string()
    .trim()
    .max(40)
    .pattern(/^(0|[1-9]\d*)(\.\d+)?$/)
    .messages({ 'string.pattern.base': '{{#label}} must be a decimal number such as 1250.00' }),
  currency_code: currencyCode.trim(),
  expected_close_at: expectedCloseAt.trim(),
  owner: name.max(254).lowercase(),
  pipeline: name,
  stage: name,
  lost_reason: lostReason,
};
const checks = Object.fromEntries(Object.entries(schemas).map(([column, schema]) => [column, check(column, schema)]));
const wholeCustom = check('custom_fields', customFields);
const wholeMetadata = check('metadata', metadata);

/** A row has up to 500 cells. */
const maxErrors = 20;
const maxObjectCharacters = 128 * 1024;
/** Longer than any value: refused before it is looked at. */
const maxCellCharacters = 4 * 1024;

/** Follows the rules of POST /v1/crm/deals; an empty cell says nothing. `zone`: of a day. */
export function rowReader(columns: Column[], zone: ZoneContext): (record: CsvRecord) => Entry {
  const sourceAt = columns.findIndex(({ kind }) => kind === 'source');
  return ({ cells, line }) => {
    const miscounted = cellsFault(cells, columns);
    if (miscounted) return { line, errors: [miscounted] };
    const row: ReadDeal = { line, values: {}, contacts: [] };
    const errors: RowError[] = [];
    const refuse = (column: string, code: string, message: string) => void errors.push({ column, code, message });
    const source = sourceAt < 0 ? '' : restored(cells[sourceAt]!).trim();
    for (const [index, column] of columns.entries()) {
      const cell = restored(cells[index]!);
      if (cell.trim() !== '') take(row, column, { cell, source, zone }, refuse);
    }
    if (row.custom) validate('custom_fields', wholeCustom, row.custom, refuse);
    if (row.metadata) validate('metadata', wholeMetadata, row.metadata, refuse);
    if (row.contacts.length > maxContactsOfDeal) refuse('', 'limit_reached', `A deal has at most ${maxContactsOfDeal} contacts`);
    return errors.length > 0 ? { line, errors: errors.slice(0, maxErrors) } : row;
  };
}

type Refuse = (column: string, code: string, message: string) => void;

type Cell = { cell: string; source: string; zone: ZoneContext };

function take(row: ReadDeal, column: Column, { cell, source, zone }: Cell, refuse: Refuse) {
  const { kind } = column;
  if (kind === 'field') takeField(row, column.field, { cell, zone }, refuse);
  else if (kind === 'custom') takeCustom(row, column.name, { [column.key]: readCustomCell(cell) }, refuse);
  else if (kind === 'custom-fields') takeCustom(row, column.name, objectIn(column.name, cell, refuse), refuse);
  else if (kind === 'metadata') row.metadata = objectIn(column.name, cell, refuse);
  else if (kind === 'contact') takeContacts(row, column.name, column.by, readListCell(cell), source, refuse);
  else if (kind === 'contact-ids') takeContacts(row, column.name, 'id', cell.trim().split(/\s+/), source, refuse);
  else if (kind === 'id') {
    row.id = cell.trim().toLowerCase();
    if (!isUuid(row.id)) refuse('id', 'string.guid', 'id must be the id of a deal');
  }
}

function takeField(row: ReadDeal, field: FieldColumn, { cell, zone }: Omit<Cell, 'source'>, refuse: Refuse) {
  if (cell.length > maxCellCharacters) return refuse(field, 'string.max', `${field} is too long`);
  const { value, error } = checks[field]!.validate(cell, { context: zone });
  const fault = error ? undefined : faultIn(value);
  if (error) refuse(field, error.details[0]!.type, error.message);
  else if (fault) refuse(field, fault.code, `${field} has a character that is not allowed`);
  else row.values[field] = value;
}

function takeCustom(row: ReadDeal, column: string, given: Object | undefined, refuse: Refuse) {
  const fault = given && faultIn(given);
  if (fault) refuse(column, fault.code, fault.message);
  row.custom = { ...row.custom, ...given };
}

function objectIn(column: string, cell: string, refuse: Refuse): Object | undefined {
  try {
    const value: unknown = cell.length > maxObjectCharacters ? undefined : JSON.parse(cell);
    const lost = value === undefined ? undefined : numberFault(Buffer.from(cell));
    if (lost) refuse(column, lost.code, `${column}.${lost.message}`);
    if (lost) return undefined;
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Object;
  } catch {
    // Told below.
  }
  refuse(column, 'object.base', `${column} must be an object as JSON`);
  return undefined;
}

function takeContacts(row: ReadDeal, column: string, by: ContactName, texts: string[], source: string, refuse: Refuse) {
  if (texts.length > maxContactsOfDeal)
    return refuse(column, 'array.max', `${column} must not name more than ${maxContactsOfDeal}`);
  for (const text of texts) {
    const named = namedBy(by, text, source);
    if (named) row.contacts.push({ column, ...named });
    else refuse(column, 'reference.invalid', `${column} has what is no ${by.replace('_', ' ')}`);
  }
}

function namedBy(by: ContactName, text: string, source: string): { id: string } | { identity: Identity } | undefined {
  if (by === 'id') return isUuid(text) ? { id: text.toLowerCase() } : undefined;
  const identity = identityNamed(by, text, source);
  return identity && { identity };
}

function validate(column: string, schema: Joi.Schema, value: unknown, refuse: Refuse) {
  const { error } = schema.validate(value);
  if (error) refuse(column, error.details[0]!.type, error.message);
}
