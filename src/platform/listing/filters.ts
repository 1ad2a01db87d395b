import { AppError, type ErrorDetail } from '../errors.ts';
import { isUuid } from '../ids.ts';
import { toMoment } from '../time/moment.ts';
import { decimal } from './cursor.ts';
import { type Field, type Fields, type FieldType, fieldNames, fieldOf } from './fields.ts';
import { emptiness, equalities, type Operator, operators, orders, parts, type Scalar } from './operators.ts';
import { operatorsOfTyped, typedReader } from './typed.ts';

const fitting: Record<Exclude<FieldType, 'typed'>, readonly Operator[]> = {
  id: equalities,
  text: operators,
  time: [...equalities, ...orders],
  number: [...equalities, ...orders],
  choice: equalities,
  boolean: ['eq', 'neq'],
  codes: [...equalities, ...emptiness],
  json: operators,
  name: [...equalities, ...parts, ...emptiness],
  link: [...equalities, ...emptiness],
};

/** Two `values` for `between`, none for emptiness, any number for `in` and `not_in`, else one. */
export type Condition = { name: string; field: Field; operator: Operator; values: Scalar[] };

export const maxFilters = 20;
/** In an address; a body may have more. */
export const maxFilterBytes = 4_096;
export const maxBodyFilterBytes = 65_536;
const maxValues = 100;
const keys = ['field', 'operator', 'value'];

/** `at`: in the filter, such as `.value`. */
export type Fault = { at: string; code: string; message: string };
const fault = (at: string, code: string, message: string): Fault => ({ at, code, message });
export const isFault = (read: object): read is Fault => 'message' in read;

/** As a query has it: the text of a JSON array. As a body has it: the array, and in `any` groups of which each has one that holds. */
export type GivenFilters = { filters?: string | unknown[]; any?: unknown[][] };
export type ReadFilters = { conditions: Condition[]; groups: Condition[][] };

/** Throws 400 unless a text is a JSON array, 422 with every fault at its place. */
export function readFilters(fields: Fields, { filters = [], any = [] }: GivenFilters, location: string): ReadFilters {
  const detail = (field: string, code: string, message: string): ErrorDetail => ({ field, location, code, message });
  const isText = typeof filters === 'string';
  const maxBytes = isText ? maxFilterBytes : maxBodyFilterBytes;
  if (Buffer.byteLength(isText ? filters : JSON.stringify([filters, any])) > maxBytes)
    throw refused([detail('filters', 'string.max', `filters must not be larger than ${maxBytes} bytes`)]);
  const given = isText ? parsed(filters) : filters;
  if (given.length + any.flat().length > maxFilters)
    throw refused([detail('filters', 'array.max', `filters must not be more than ${maxFilters}`)]);
  const faults: ErrorDetail[] = [];
  const readAll = (items: unknown[], at: string) =>
    items.flatMap((item, index) => {
      const read = readFilter(fields, item);
      if (!isFault(read)) return [read];
      faults.push(detail(`${at}[${index}]${read.at}`, read.code, read.message));
      return [];
    });
  const conditions = readAll(given, 'filters');
  const groups = any.map((group, index) => readAll(group, `any[${index}]`));
  if (faults.length > 0) throw refused(faults);
  return { conditions, groups };
}

function parsed(text: string): unknown[] {
  try {
    const given: unknown = JSON.parse(text);
    if (Array.isArray(given)) return given;
  } catch {
    // The same answer as for other JSON.
  }
  throw new AppError('bad_request', 'filters is not a JSON array');
}

const refused = (details: ErrorDetail[]) =>
  new AppError('invalid_request', details.length === 1 ? details[0]!.message : `${details.length} filters are not valid`, {
    details,
  });

/** One of them, wherever such a condition is written. */
export function readFilter(fields: Fields, item: unknown): Condition | Fault {
  if (typeof item !== 'object' || item === null || Array.isArray(item))
    return fault('', 'object.base', 'A filter must be an object of field, operator and value');
  if (Object.keys(item).some((key) => !keys.includes(key)))
    return fault('', 'object.unknown', 'A filter has field, operator and value, nothing else');
  const { field: name, operator = 'eq', value } = item as { field?: unknown; operator?: unknown; value?: unknown };
  const field = typeof name === 'string' ? fieldOf(fields, name) : undefined;
  if (!field) return fault('.field', 'any.only', `field must be one of ${fieldNames(fields).join(', ')}`);
  const allowed = operatorsOf(field);
  if (!allowed.includes(operator as Operator))
    return fault('.operator', 'any.only', `operator of this field must be one of ${allowed.join(', ')}`);
  const values = valuesOf(field, operator as Operator, value);
  return isFault(values) ? values : { name: name as string, field, operator: operator as Operator, values };
}

export function operatorsOf(field: Field): readonly Operator[] {
  if (field.type === 'typed') return operatorsOfTyped(field.typed!);
  return field.isNullable ? [...fitting[field.type], ...emptiness] : fitting[field.type];
}

function valuesOf(field: Field, operator: Operator, value: unknown): Scalar[] | Fault {
  const wrong = (message: string) => fault('.value', 'any.invalid', message);
  if (operator === 'is_empty' || operator === 'is_not_empty')
    return value === undefined ? [] : wrong(`${operator} takes no value`);
  const isRange = operator === 'between';
  const isSet = operator === 'in' || operator === 'not_in';
  if (isRange && !(Array.isArray(value) && value.length === 2)) return wrong('between takes an array of two values');
  if (isSet && !(Array.isArray(value) && value.length > 0 && value.length <= maxValues))
    return wrong(`${operator} takes an array of 1 to ${maxValues} values`);
  const given: unknown[] = isRange || isSet ? (value as unknown[]) : [value];
  const { kind, read } = readerOf(field, operator);
  const values = given.map(read);
  if (values.some((one) => one === undefined)) return wrong(`value must be ${kind}`);
  if (isRange && typeof values[0] !== typeof values[1]) return wrong('Both values of between must be of one type');
  const canonical = field.typed?.canonical ?? field.canonical;
  return canonical && !withinOperators.includes(operator) ? (values as string[]).map(canonical) : (values as Scalar[]);
}

const withinOperators: readonly Operator[] = ['contains', 'not_contains', 'ends_with'];

type Reader = { kind: string; read: (value: unknown) => Scalar | undefined };

/** The database's text holds no NUL, JSON no half of a surrogate pair. */
const readText = (value: unknown) =>
  typeof value === 'string' && !value.includes('\u0000') && value.isWellFormed() ? value : undefined;
/** 1e999 is read as infinity, which JSON cannot hold. */
const readNumber = (value: unknown) => (typeof value === 'number' && Number.isFinite(value) ? value : undefined);
/** As text: it may have more digits than a number of JSON keeps. */
const readDecimal = (value: unknown) => {
  const text = typeof value === 'number' ? String(value) : value;
  return typeof text === 'string' && text.length <= 64 && decimal.test(text) ? text : undefined;
};
const readBoolean = (value: unknown) => (typeof value === 'boolean' ? value : undefined);

function readerOf({ type, values = [], typed }: Field, operator: Operator): Reader {
  if (typed) return typedReader(typed);
  if (type === 'boolean') return { kind: 'a boolean', read: readBoolean };
  if (type === 'choice' || type === 'codes')
    return { kind: `one of ${values.join(', ')}`, read: (value) => values.find((one) => one === value) };
  if (type === 'id' || type === 'link')
    return { kind: 'an id', read: (value) => (typeof value === 'string' && isUuid(value) ? value : undefined) };
  if (type === 'time')
    return {
      kind: 'an ISO 8601 date, or a time with its zone',
      read: (value) => (typeof value === 'string' ? toMoment(value) : undefined),
    };
  if (type === 'number') return { kind: 'a number, or one as text', read: readDecimal };
  if (type !== 'json' || (parts as readonly string[]).includes(operator)) return { kind: 'a string', read: readText };
  if ((orders as readonly string[]).includes(operator))
    return { kind: 'a string or a number', read: (value) => readText(value) ?? readNumber(value) };
  return {
    kind: 'a string, a number or a boolean',
    read: (value) => readText(value) ?? readNumber(value) ?? readBoolean(value),
  };
}
