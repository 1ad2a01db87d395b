import { isUuid } from '../ids.ts';
import { isMoment, momentMs, toMoment } from '../time/moment.ts';
import type { Bind } from './bind.ts';
import { likeSql } from './like.ts';
import { emptiness, equalities, type Operator, orders, parts, type Scalar } from './operators.ts';

/**
 * Fields that an organization declares. Their values stand in a JSON object, and those of an indexed field also in `values`, a row each:
 * `organization_id, record_id, field_id, ordinal` and one of `text_value` (folded, cut), `number_value`, `time_value`.
 */
export type Typed = { object: string; values: string; foldedText: (sql: string) => string; fields: Record<string, TypedField> };

export type TypedType =
  | 'text'
  | 'number'
  | 'amount'
  | 'boolean'
  | 'date'
  | 'time'
  | 'choice'
  | 'choices'
  | 'id'
  | 'code'
  | 'json';

export type TypedField = {
  id: string;
  /** Where its value is in the object: one step, or two for a part of it. */
  path: [string, string?];
  type: TypedType;
  /** Its index is whole. */
  isIndexed: boolean;
  /** Of a choice. */
  options?: ReadonlySet<string>;
  /** Two options at least are one to the index of values, which folds them: only the object's index tells them apart. */
  hasAlikeOptions?: boolean;
  /** Spells a whole value as it is stored. */
  canonical?: (given: string) => string;
};

/** As a condition names it. */
export type TypedSource = TypedField & Pick<Typed, 'object' | 'values' | 'foldedText'>;

const fitting: Record<TypedType, readonly Operator[]> = {
  text: [...equalities, ...parts, ...emptiness],
  number: [...equalities, ...orders, ...emptiness],
  amount: [...equalities, ...orders, ...emptiness],
  boolean: ['eq', 'neq', ...emptiness],
  date: [...equalities, ...orders, ...emptiness],
  time: [...equalities, ...orders, ...emptiness],
  choice: [...equalities, ...emptiness],
  choices: [...equalities, ...emptiness],
  id: [...equalities, ...emptiness],
  code: [...equalities, ...emptiness],
  json: emptiness,
};
export const operatorsOfTyped = ({ type }: TypedField) => fitting[type];

const readText = (value: unknown) =>
  typeof value === 'string' && !value.includes('\u0000') && value.isWellFormed() ? value : undefined;

/** Stored times have milliseconds. */
function readTime(value: unknown): string | undefined {
  const moment = typeof value === 'string' ? toMoment(value) : undefined;
  const utc = moment && new Date(momentMs(moment)).toISOString();
  return utc && isMoment(utc) ? utc : undefined;
}

/** The value as it is stored; undefined: it is none of this type. */
export function typedReader({ type, options = new Set() }: TypedField): {
  kind: string;
  read: (value: unknown) => Scalar | undefined;
} {
  if (type === 'number')
    return { kind: 'a number', read: (value) => (typeof value === 'number' && Number.isFinite(value) ? value : undefined) };
  if (type === 'amount')
    return {
      kind: 'a string of digits',
      read: (value) => (typeof value === 'string' && /^(0|[1-9]\d{0,18})$/.test(value) ? value : undefined),
    };
  if (type === 'boolean') return { kind: 'a boolean', read: (value) => (typeof value === 'boolean' ? value : undefined) };
  if (type === 'date')
    return {
      kind: 'a date such as 2026-11-25',
      read: (value) => (typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value) && toMoment(value) ? value : undefined),
    };
  if (type === 'time') return { kind: 'an ISO 8601 date, or a time with its zone', read: readTime };
  if (type === 'choice' || type === 'choices')
    return {
      kind: `one of ${[...options].slice(0, 20).join(', ')}`,
      read: (value) => (typeof value === 'string' && options.has(value) ? value : undefined),
    };
  if (type === 'id')
    return {
      kind: 'an id',
      read: (value) => (typeof value === 'string' && isUuid(value) ? value.toLowerCase() : undefined),
    };
  return { kind: 'a string', read: readText };
}

const columns: Partial<Record<TypedType, 'number_value' | 'time_value'>> = {
  number: 'number_value',
  amount: 'number_value',
  boolean: 'number_value',
  date: 'time_value',
  time: 'time_value',
};
export const valueColumn = ({ type }: TypedField) => columns[type] ?? 'text_value';

/** A record has one value of it at most, and an order is of use. */
export const isSortableType = ({ type }: TypedField) => !['choices', 'code', 'json', 'boolean'].includes(type);

const isOrder = (operator: Operator) => (orders as readonly string[]).includes(operator);
const isEquality = (operator: Operator) => operator === 'eq' || operator === 'in';

/** By the index of its values; an equality also by the index of the whole object, except where a value is most records'. */
export const isTypedIndexed = (field: TypedField, operator: Operator): boolean =>
  field.isIndexed ? isEquality(operator) || isOrder(operator) : isEquality(operator) && field.type !== 'boolean';

/** `from`: joins a row of values a condition; without it the condition is about the record alone. */
export type TypedSql = { from?: string; condition: string };

/** For a condition whose index is whole. `alias` is the joined row's. */
export function indexedSql(field: TypedSource, operator: Operator, values: Scalar[], bind: Bind, alias: string): TypedSql {
  if (field.hasAlikeOptions) return { condition: objectSql(field, operator, values, bind) };
  const row = `${alias}.organization_id = k.organization_id and ${alias}.record_id = k.id and ${alias}.field_id = ${bind(field.id)}::uuid`;
  const condition = indexedValueIs(field, operator, values, bind, alias);
  // The index has it folded and cut.
  const exact = field.type === 'text' ? ` and ${equalTextSql(field, values as string[], bind)}` : '';
  // A record has a row for each of several options.
  if (field.type === 'choices' && operator === 'in')
    return { condition: `exists (select 1 from ${field.values} ${alias} where ${row} and ${condition})` };
  return { from: `${field.values} ${alias}`, condition: `${row} and ${condition}${exact}` };
}

/** Of the index's row `alias`. */
export function indexedValueIs(field: TypedSource, operator: Operator, values: Scalar[], bind: Bind, alias: string): string {
  const given = values.map((value) => indexedValueSql(field, value, bind));
  return comparedSql(`${alias}.${valueColumn(field)}`, operator, given);
}

/** SQL: the ids of the records whose index has it; of a text, of a few more. `$1` is the organization. */
export function valuesSql(field: TypedSource, operator: Operator, values: Scalar[], bind: Bind): string {
  const condition = indexedValueIs(field, operator, values, bind, 'v');
  return `
      select v.record_id
        from ${field.values} v
       where v.organization_id = $1 and v.field_id = ${bind(field.id)}::uuid and ${condition}`;
}

function indexedValueSql(field: TypedSource, value: Scalar, bind: Bind): string {
  if (field.type === 'boolean') return `${bind(value ? 1 : 0)}::numeric`;
  if (field.type === 'number' || field.type === 'amount') return `${bind(String(value))}::numeric`;
  if (field.type === 'date') return `${bind(`${value}T00:00:00Z`)}::timestamptz`;
  if (field.type === 'time') return `${bind(value)}::timestamptz`;
  return field.foldedText(`${bind(value)}::text`);
}

const symbols: Partial<Record<Operator, string>> = { eq: '=', gt: '>', gte: '>=', lt: '<', lte: '<=' };

function comparedSql(sql: string, operator: Operator, values: string[]): string {
  if (operator === 'in') return `${sql} = any(array[${values.join(', ')}])`;
  if (operator === 'between') return `${sql} >= ${values[0]} and ${sql} <= ${values[1]}`;
  return `${sql} ${symbols[operator]} ${values[0]}`;
}

const pathSql = ({ object, path }: TypedSource, bind: Bind) =>
  path.reduce<string>((sql, step) => (step === undefined ? sql : `${sql} -> ${bind(step)}::text`), object);
const textSql = (field: TypedSource, bind: Bind) => `(${pathSql(field, bind)} #>> '{}')`;
const equalTextSql = (field: TypedSource, values: string[], bind: Bind) =>
  `${textSql(field, bind)} = any(${bind(values)}::text[])`;

/** Compared in the record itself. Of an equality the object's index finds the records. */
export function objectSql(field: TypedSource, operator: Operator, values: Scalar[], bind: Bind): string {
  if (operator === 'is_empty') return `(${pathSql(field, bind)}) is null`;
  if (isEquality(operator)) return `(${values.map((value) => containedSql(field, value, bind)).join(' or ')})`;
  if (!isOrder(operator)) return `coalesce(${likeSql(textSql(field, bind), operator, values[0] as string, bind)}, false)`;
  const isNumber = valueColumn(field) === 'number_value';
  // Texts of dates and of times in UTC are in the order of what they say.
  const compared = isNumber ? `${textSql(field, bind)}::numeric` : `${textSql(field, bind)} collate "C"`;
  const given = values.map((value) => `${bind(String(value))}::${isNumber ? 'numeric' : 'text'}`);
  return `coalesce(${comparedSql(compared, operator, given)}, false)`;
}

function containedSql({ object, path, type }: TypedSource, value: Scalar, bind: Bind): string {
  const held = type === 'choices' ? [value] : value;
  const [name, part] = path;
  return `${object} @> ${bind(JSON.stringify({ [name]: part === undefined ? held : { [part]: held } }))}::jsonb`;
}
