import { firstIdAt } from '../ids.ts';
import { momentMs } from '../time/moment.ts';
import type { Bind } from './bind.ts';
import type { Field } from './fields.ts';
import type { Condition } from './filters.ts';
import { caseless, likeSql } from './like.ts';
import type { Operator, Scalar } from './operators.ts';
import { addressSql } from './search.ts';
import { objectSql } from './typed.ts';

const symbols = { gt: '>', gte: '>=', lt: '<', lte: '<=' } as const;
/** The opposite's condition, negated: each record is in exactly one of the two lists. */
export const opposites: Partial<Record<Operator, Operator>> = {
  neq: 'eq',
  not_in: 'in',
  not_contains: 'contains',
  is_not_empty: 'is_empty',
};

export function conditionSql({ field, operator, values }: Condition, bind: Bind): string {
  const opposite = opposites[operator];
  if (!opposite) return plainSql(field, operator, values, bind);
  const plain = plainSql(field, opposite, values, bind);
  return field.isNullable ? `(${plain}) is not true` : `not (${plain})`;
}

function plainSql(field: Field, operator: Operator, values: Scalar[], bind: Bind): string {
  if (field.isNullable && operator === 'is_empty') return `${field.sql} is null`;
  if (field.typed) return objectSql(field.typed, operator, values, bind);
  if (field.isInId) return idTimeSql(operator, values as string[], bind);
  if (field.type === 'boolean') return `${field.sql} = ${bind(values[0])}::boolean`;
  if (field.type === 'codes') return codesSql(field.sql, operator, values, bind);
  if (field.type === 'number') return numberSql(field.sql, operator, values as string[], bind);
  if (field.type === 'time') return placedTimeSql(field, operator, values as string[], bind);
  if (field.type === 'json') return jsonSql(field, operator, values, bind);
  if (field.type === 'link') {
    const linked = operator === 'is_empty' ? 'true' : `${field.id} = any(${bind(values)}::uuid[])`;
    return `${operator === 'is_empty' ? 'not ' : ''}exists (select 1 from ${field.sql} and ${linked})`;
  }
  if (field.type === 'name') {
    const named = operator === 'is_empty' ? 'true' : nameSql({ field, operator, values }, bind);
    return `${operator === 'is_empty' ? 'not ' : ''}exists (select 1 from ${field.sql} and ${named})`;
  }
  const own = textSql(
    field.sql,
    field.type === 'id' ? 'uuid' : 'text',
    operator,
    values as string[],
    bind,
    field.isCaseless ? caseless : exact,
  );
  const [value] = values as string[];
  if (operator !== 'eq' || !value) return own;
  // For the index: equal texts fold to the same.
  if (field.isSortedFolded) return `${own} and ${folded(field.sql)} = ${folded(`${bind(value)}::text`)}`;
  return field.address ? `${own} and ${addressSql(field.address, value, bind)}` : own;
}

/** Of the name itself, in the other table. */
export const nameSql = ({ field, operator, values }: Pick<Condition, 'field' | 'operator' | 'values'>, bind: Bind) =>
  textSql(field.name!, 'text', operator, values as string[], bind, folded);

/** The second condition is that of the partial index. */
const codesSql = (sql: string, operator: Operator, values: Scalar[], bind: Bind) =>
  operator === 'is_empty' ? `${sql} = '{}'` : `(${sql} && ${bind(values)}::text[] and ${sql} <> '{}')`;

type Sameness = (sql: string) => string;
const exact: Sameness = (sql) => sql;
const folded: Sameness = (sql) => `fold(${sql})`;

function textSql(sql: string, type: string, operator: Operator, values: string[], bind: Bind, same: Sameness): string {
  const [first, second] = values as [string, string];
  if (operator === 'is_empty') return `${sql} = ''`;
  if (operator === 'in' && same === exact) return `${sql} = any(${bind(values)}::${type}[])`;
  if (operator === 'in') return `${same(sql)} = any(array(select ${same('v')} from unnest(${bind(values)}::text[]) as v))`;
  if (operator === 'eq') return `${same(sql)} = ${same(`${bind(first)}::${type}`)}`;
  if (operator === 'between') return `${sql} between ${bind(first)}::text and ${bind(second)}::text`;
  if (operator in symbols) return `${sql} ${symbols[operator as keyof typeof symbols]} ${bind(first)}::text`;
  return likeSql(sql, operator, first, bind);
}

function numberSql(sql: string, operator: Operator, values: string[], bind: Bind): string {
  const [first, second] = values as [string, string];
  const one = (value: string) => `${bind(value)}::numeric`;
  if (operator === 'eq') return `${sql} = ${one(first)}`;
  if (operator === 'in') return `${sql} = any(${bind(values)}::numeric[])`;
  if (operator === 'between') return `${sql} between ${one(first)} and ${one(second)}`;
  return `${sql} ${symbols[operator as keyof typeof symbols]} ${one(first)}`;
}

/** In the index's expression a missing time is later than any: it is no answer to `gt` all the same. */
function placedTimeSql({ sql, inOrder }: Field, operator: Operator, values: string[], bind: Bind): string {
  if (inOrder === undefined) return timeSql(sql, operator, values, bind);
  const placed = timeSql(inOrder, operator, values, bind);
  return operator === 'gt' || operator === 'gte' ? `(${placed} and ${sql} is not null)` : placed;
}

/** The API shows milliseconds: three digits mean that whole millisecond, more digits a microsecond. */
function timeSql(sql: string, operator: Operator, values: string[], bind: Bind): string {
  const from = (text: string) => `${bind(text)}::timestamptz`;
  const until = (text: string) => `${from(text)} + interval '1 ${/\.\d{4,6}/.test(text) ? 'microsecond' : 'millisecond'}'`;
  const within = (first: string, last: string) => `(${sql} >= ${from(first)} and ${sql} < ${until(last)})`;
  const [first, second] = values as [string, string];
  if (operator === 'gt') return `${sql} >= ${until(first)}`;
  if (operator === 'gte') return `${sql} >= ${from(first)}`;
  if (operator === 'lt') return `${sql} < ${from(first)}`;
  if (operator === 'lte') return `${sql} < ${until(first)}`;
  if (operator === 'between') return within(first, second);
  return `(${values.map((value) => within(value, value)).join(' or ')})`;
}

/** The smallest id of the time's millisecond, or of the one after it. */
function idTimeSql(operator: Operator, values: string[], bind: Bind): string {
  const isBetween = (text: string) => /\.\d{3}\d*[1-9]/.test(text);
  const from = (text: string) => `${bind(firstIdAt(momentMs(text) + (isBetween(text) ? 1 : 0)))}::uuid`;
  const until = (text: string) => `${bind(firstIdAt(momentMs(text) + 1))}::uuid`;
  const within = (first: string, last: string) => `(k.id >= ${from(first)} and k.id < ${until(last)})`;
  const [first, second] = values as [string, string];
  if (operator === 'gt') return `k.id >= ${until(first)}`;
  if (operator === 'gte') return `k.id >= ${from(first)}`;
  if (operator === 'lt') return `k.id < ${from(first)}`;
  if (operator === 'lte') return `k.id < ${until(first)}`;
  if (operator === 'between') return within(first, second);
  return `(${values.map((value) => within(value, value)).join(' or ')})`;
}

function jsonSql({ sql, key }: Field, operator: Operator, values: Scalar[], bind: Bind): string {
  const own = (value: Scalar) => `${bind(JSON.stringify({ [key!]: value }))}::jsonb`;
  // By containment, one by one: the GIN index answers it.
  if (operator === 'eq' || operator === 'in') return `(${values.map((value) => `${sql} @> ${own(value)}`).join(' or ')})`;
  const field = `${sql} -> ${bind(key)}::text`;
  if (operator === 'is_empty') return `coalesce(${field}, 'null') in ('null', '""')`;
  // Not `and`: the planner multiplies estimates, expects few records and sorts them all.
  const ofType = (condition: string) => `case jsonb_typeof(${field}) when '${typeof values[0]}' then ${condition} else false end`;
  const json = (value: Scalar) => `${bind(JSON.stringify(value))}::jsonb`;
  if (operator === 'between') return ofType(`${field} between ${json(values[0]!)} and ${json(values[1]!)}`);
  if (operator in symbols) return ofType(`${field} ${symbols[operator as keyof typeof symbols]} ${json(values[0]!)}`);
  return ofType(likeSql(`(${sql} ->> ${bind(key)}::text)`, operator, values[0] as string, bind));
}
