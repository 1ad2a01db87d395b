import { AppError, type ErrorDetail } from '../../platform/errors.ts';
import type { Field } from './definition.ts';
import { indexableTypes } from './listing.ts';
import type { FieldType } from './type.entity.ts';
import { isFault, isNothing, maxLengths, readerOf } from './value-readers.ts';

export const maxTypes = 50;
export const maxFields = 200;
export const maxIndexed = 25;
export const maxSearchable = 10;
export const maxOptions = 200;
/** Of a type's fields as JSON: each write of a record reads them all. 200 fields whose options are full would be 30 MB. */
export const maxFieldsBytes = 256 * 1024;

export type Rule = { field: string; code: string; message: string };

const withLength: readonly FieldType[] = ['text', 'long_text', 'url'];
const withRange: readonly FieldType[] = ['number', 'integer'];
export const withOptions: readonly FieldType[] = ['select', 'multi_select'];
const uniqueTypes: readonly FieldType[] = ['text', 'email', 'phone', 'url', 'number', 'integer', 'date', 'datetime'];
const searchableTypes: readonly FieldType[] = ['text', 'long_text', 'email', 'phone', 'url', 'select', 'multi_select'];
export const displayTypes: readonly FieldType[] = ['text', 'email', 'phone', 'url', 'number', 'integer', 'date', 'select'];
/** So that the erasure of a person finds the records that have his address. */
export const isAlwaysIndexed = (type: FieldType) => type === 'email' || type === 'phone';

/** To a type whose values include those of the first, as they are stored and as they are indexed. */
const widerTypes: Partial<Record<FieldType, FieldType[]>> = {
  integer: ['number'],
  text: ['long_text'],
  url: ['text', 'long_text'],
  select: ['text', 'long_text'],
  email: ['text'],
  phone: ['text'],
};
export const isWider = (from: FieldType, to: FieldType) => from === to || (widerTypes[from] ?? []).includes(to);

/** What is wrong with a field by itself. */
export function faultsOfField(field: Field): Rule[] {
  const { type, min, max, maxLength, options } = field;
  const faults: Rule[] = [];
  const refuse = (isWrong: boolean, name: string, code: string, message: string) => {
    if (isWrong) faults.push({ field: name, code, message: `${name} ${message}` });
  };
  const isRanged = min !== null || max !== null;
  refuse(
    isRanged && !withRange.includes(type),
    min === null ? 'max' : 'min',
    'any.unknown',
    `is for ${withRange.join(' and ')} only`,
  );
  refuse(min !== null && max !== null && min > max, 'max', 'number.min', 'must not be less than min');
  refuse(maxLength !== null && !withLength.includes(type), 'max_length', 'any.unknown', `is for ${withLength.join(', ')} only`);
  const longest = maxLengths[type as keyof typeof maxLengths];
  refuse(maxLength !== null && maxLength > longest, 'max_length', 'number.max', `must be ${longest} or less`);
  refuse(
    options.length > 0 && !withOptions.includes(type),
    'options',
    'any.unknown',
    `are for ${withOptions.join(' and ')} only`,
  );
  refuse(options.length === 0 && withOptions.includes(type), 'options', 'any.required', 'are required');
  const values = options.map(({ value }) => value);
  refuse(new Set(values).size < values.length, 'options', 'array.unique', 'must have each value once');
  refuse(field.isIndexed && !indexableTypes.includes(type), 'indexed', 'any.only', `is not for ${type}`);
  refuse(field.isUnique && !uniqueTypes.includes(type), 'unique', 'any.only', `is not for ${type}`);
  refuse(field.isSearchable && !searchableTypes.includes(type), 'searchable', 'any.only', `is not for ${type}`);
  if (faults.length === 0) refuse(...faultOfDefault(field));
  return faults;
}

function faultOfDefault(field: Field): [boolean, string, string, string] {
  const { defaultValue, isUnique, type } = field;
  if (defaultValue === null) return [false, '', '', ''];
  if (isUnique || type === 'user') return [true, 'default', 'any.unknown', `is not for a ${isUnique ? 'unique field' : type}`];
  if (isNothing(defaultValue)) return [true, 'default', 'any.required', 'must be a value, or null'];
  const read = readerOf(field)(defaultValue);
  if (isFault(read)) return [true, 'default', read.code, read.message];
  return [false, '', '', ''];
}

const bytesOf = (fields: Field[]) => Buffer.byteLength(JSON.stringify(fields));

/** What is wrong with the fields of a type together. `before`: fields that were larger already may become smaller. */
export function faultsOfFields(fields: Field[], before: Field[] = []): Rule[] {
  const most = Math.max(maxFieldsBytes, bytesOf(before));
  if (bytesOf(fields) > most) {
    const message = `The fields of a type have at most ${maxFieldsBytes} bytes as JSON, with their options and defaults`;
    return [{ field: 'options', code: 'limit_reached', message }];
  }
  const limits: [string, number, number, string][] = [
    ['name', fields.length, maxFields, 'fields'],
    [
      'indexed',
      fields.filter(({ isIndexed }) => isIndexed).length,
      maxIndexed,
      'indexed fields, of which are all of email and phone',
    ],
    ['searchable', fields.filter(({ isSearchable }) => isSearchable).length, maxSearchable, 'searchable fields'],
  ];
  return limits
    .filter(([, count, most]) => count > most)
    .map(([field, , most, what]) => ({ field, code: 'limit_reached', message: `A type has at most ${most} ${what}` }));
}

export function assertRules(rules: Rule[], at = ''): void {
  if (rules.length === 0) return;
  const details: ErrorDetail[] = rules.map(({ field, code, message }) => ({
    field: `${at}${field}`,
    location: 'body',
    code,
    message,
  }));
  throw new AppError('invalid_request', details.length === 1 ? details[0]!.message : `${details.length} rules are not kept`, {
    details,
  });
}
