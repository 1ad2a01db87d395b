import type Joi from 'joi';
import { readCustomCell } from '../../platform/csv/custom-cell.ts';
import { restored } from '../../platform/csv/formulas.ts';
import { cellsFault } from '../../platform/csv/header.ts';
import { readListCell } from '../../platform/csv/list-cell.ts';
import { isUuid } from '../../platform/ids.ts';
import type { BadRow, RowError } from '../../platform/imports/progress.ts';
import { faultIn } from '../../platform/storable.ts';
import type { ContactFields } from '../fields.ts';
import { contactEmail, contactName, customFields, externalId, externalSource, maxCustomBytes } from '../fields.ts';
import type { Identity } from '../identities/identity.ts';
import type { RefusedPhone } from '../identities/named-phones.ts';
import { type PhoneContext, phoneNumber } from '../identities/phone.ts';
import { maxTagLength, tagName } from '../tag-catalogue.ts';
import { maxTagsOfContact } from '../tags.ts';
import { identitiesOfFields } from '../upsert.ts';
import type { Column } from './header.ts';

export type ReadRow = { line: number; id?: string; fields: ContactFields; tags: string[]; identities: Identity[] };
export type Entry = ReadRow | RefusedPhone<ReadRow | BadRow>;
export const isBad = (entry: Entry): entry is RefusedPhone<ReadRow | BadRow> => 'errors' in entry;

const rules = {
  phone_number: phoneNumber,
  name: contactName,
  email: contactEmail,
  external_source: externalSource,
  external_id: externalId,
};

/** Joi puts the label into its messages: use the column, never the value. */
const check = (column: string, schema: Joi.Schema) => schema.label(column).prefs({ errors: { wrap: { label: false } } });

const oneTag = check('a tag', tagName);

/** Longer than any valid value with escapes. Longer cells are refused unparsed: 1 MiB would take half a second. */
const maxCustomCharacters = 4 * maxCustomBytes;
const maxTagsCharacters = 4 * maxTagsOfContact * maxTagLength;
/** A row has up to 500 cells. */
const maxErrors = 20;

const faultOfTags = (names: string[]): string | undefined => {
  if (names.length > maxTagsOfContact) return `tags must not be more than ${maxTagsOfContact}`;
  return names.map((name) => oneTag.validate(name).error?.message).find(Boolean);
};

/** Follows the rules of POST /v1/contacts; an empty cell changes nothing. */
export function rowReader(columns: Column[]): (cells: string[], line: number) => Entry {
  const checks = columns.map((column) => (column.kind === 'field' ? check(column.name, rules[column.name]) : undefined));
  const wholeCustom = check('custom_fields', customFields);

  const customTooLarge = (cells: string[]) => {
    let characters = 0;
    for (const [index, { kind }] of columns.entries()) if (kind === 'custom') characters += cells[index]!.length;
    return characters > maxCustomCharacters;
  };

  return function read(cells, line, context?: PhoneContext): Entry {
    const miscounted = cellsFault(cells, columns);
    if (miscounted) return { line, errors: [miscounted] };
    const errors: RowError[] = [];
    const fields: ContactFields = {};
    let custom: Record<string, unknown> | undefined;
    let tags: string[] = [];
    let id: string | undefined;
    let phone: string | undefined;
    const isTooLarge = customTooLarge(cells);
    if (isTooLarge) errors.push({ column: 'custom_fields', code: 'custom.size', message: tooLarge });
    for (const [index, column] of columns.entries()) {
      const cell = restored(cells[index]!);
      if (cell === '' || column.kind === 'ignored') continue;
      if (column.kind === 'id') {
        id = cell.trim().toLowerCase();
        if (!isUuid(id)) errors.push({ column: column.name, code: 'string.guid', message: 'id must be the id of a contact' });
      } else if (column.kind === 'field') {
        if (cell.trim() === '') continue;
        const { value, error } = checks[index]!.validate(cell, { context });
        if (error?.details[0]?.type === 'phone.possible') phone = cell;
        if (error) errors.push({ column: column.name, code: error.details[0]!.type, message: error.message });
        else fields[column.name] = value;
      } else if (column.kind === 'tags') {
        const isLong = cell.length > maxTagsCharacters;
        tags = isLong ? [] : readListCell(cell);
        const message = isLong ? `tags must not be longer than ${maxTagsCharacters} characters` : faultOfTags(tags);
        if (message) errors.push({ column: column.name, code: 'tags', message });
      } else if (!isTooLarge) {
        const value = readCustomCell(cell);
        const fault = typeof value === 'object' || typeof value === 'string' ? faultIn(value) : undefined;
        if (fault) errors.push({ column: column.name, code: fault.code, message: fault.message });
        custom ??= {};
        custom[column.key] = value;
      }
    }
    if (custom) {
      const { error } = wholeCustom.validate(custom);
      if (error) errors.push({ column: 'custom_fields', code: error.details[0]!.type, message: error.message });
      fields.custom_fields = custom;
    }
    if (Boolean(fields.external_id) !== Boolean(fields.external_source) && !errors.some(isExternal))
      errors.push({
        column: fields.external_id ? 'external_source' : 'external_id',
        code: 'object.and.external',
        message: `${fields.external_id ? 'external_source' : 'external_id'} is missing: it and the other must be given together`,
      });
    if (errors.length > 0)
      return {
        line,
        errors: errors.slice(0, maxErrors),
        ...(phone !== undefined && !context && { phone, again: (known: PhoneContext) => read(cells, line, known) }),
      };
    const identities = identitiesOfFields(fields);
    if (identities.length > 0 || id !== undefined) return { line, id, fields, tags, identities };
    const message = 'A contact needs a phone_number, an email or an external_id';
    return { line, errors: [{ column: 'phone_number', code: 'object.missing', message }] };
  };
}

const tooLarge = `custom_fields must not be larger than ${maxCustomBytes} bytes as JSON`;
const isExternal = ({ column }: RowError) => column.startsWith('external_');
