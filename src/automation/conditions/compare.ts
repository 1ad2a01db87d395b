import { opposites } from '../../platform/listing/conditions.ts';
import type { Field } from '../../platform/listing/fields.ts';
import type { Condition } from '../../platform/listing/filters.ts';
import { type Operator, orders, parts, type Scalar } from '../../platform/listing/operators.ts';
import { type TypedSource, valueColumn } from '../../platform/listing/typed.ts';
import { momentMs } from '../../platform/time/moment.ts';
import { compareDecimals } from './decimals.ts';
import { type Folds, foldsOnce } from './folds.ts';
import { includesText } from './includes.ts';

/* In memory what `conditionSql` says in SQL (src/platform/listing/conditions.ts, typed.ts, like.ts). */

/** `actual`: as the API shows it; of tags and links a list. `folds`: of the evaluation. */
export function conditionHolds({ field, operator, values }: Condition, actual: unknown, folds = foldsOnce()): boolean {
  const opposite = opposites[operator];
  return opposite ? !plainHolds(field, opposite, values, actual, folds) : plainHolds(field, operator, values, actual, folds);
}

export const isNothing = (value: unknown) => value === undefined || value === null;
const isOrder = (operator: Operator) => (orders as readonly string[]).includes(operator);
const isPart = (operator: Operator) => (parts as readonly string[]).includes(operator);

function plainHolds(field: Field, operator: Operator, values: Scalar[], actual: unknown, folds: Folds): boolean {
  if (field.typed) return typedHolds(field.typed, operator, values, actual, folds);
  if (field.type === 'json') return jsonHolds(operator, values, actual, folds);
  if (field.type === 'link' || field.type === 'codes') return listHolds(operator, lowered(values), actual);
  if (field.type === 'name') return nameHolds(operator, values as string[], actual, folds);
  const isMissing = isNothing(actual) || (field.type === 'time' && actual === '');
  if (field.isNullable && operator === 'is_empty') return isMissing;
  if (isMissing) return false;
  if (field.type === 'boolean') return actual === values[0];
  if (field.type === 'number') return inOrder(operator, (value) => compareDecimals(String(actual), value as string), values);
  if (field.type === 'time') return inOrder(operator, (value) => momentMs(actual as string) - wholeMs(value), values);
  if (field.type === 'id') return lowered(values).includes(actual as Scalar);
  return textHolds(operator, values as string[], actual as string, folds, field.isCaseless ? folds.caseless : exact);
}

/** A database reads an id in any case. */
const lowered = (values: Scalar[]) => values.map((value) => (typeof value === 'string' ? value.toLowerCase() : value));
const wholeMs = (value: Scalar) => momentMs(value as string);

/** `from(value)`: below 0 where the actual one is smaller. */
function inOrder(operator: Operator, from: (value: Scalar) => number, values: Scalar[]): boolean {
  const [first, second] = values as [Scalar, Scalar];
  if (operator === 'eq' || operator === 'in') return values.some((value) => from(value) === 0);
  if (operator === 'between') return from(first) >= 0 && from(second) <= 0;
  if (operator === 'gt') return from(first) > 0;
  if (operator === 'gte') return from(first) >= 0;
  return operator === 'lt' ? from(first) < 0 : from(first) <= 0;
}

type Sameness = (text: string) => string;
const exact: Sameness = (text) => text;

function textHolds(operator: Operator, values: string[], actual: string, folds: Folds, same: Sameness): boolean {
  if (operator === 'is_empty') return actual === '';
  if (isPart(operator)) return partHolds(operator, values[0]!, actual, folds);
  if (isOrder(operator)) return inOrder(operator, (value) => compareTexts(actual, value as string), values);
  return values.some((value) => same(value) === same(actual));
}

function partHolds(operator: Operator, value: string, actual: string, folds: Folds): boolean {
  const [whole, part] = [folds.caseless(actual), folds.caseless(value)];
  if (operator === 'starts_with') return whole.startsWith(part);
  return operator === 'ends_with' ? whole.endsWith(part) : includesText(whole, part);
}

/** By characters, as a database of the locale C: half of a pair would come before some whole characters. */
export function compareTexts(first: string, second: string): number {
  const length = Math.min(first.length, second.length);
  for (let at = 0; at < length; at += 1) {
    if (first.charCodeAt(at) !== second.charCodeAt(at)) return placeOf(first.charCodeAt(at)) - placeOf(second.charCodeAt(at));
  }
  return first.length - second.length;
}

const isHalf = (unit: number) => unit >= 0xd800 && unit <= 0xdfff;
const placeOf = (unit: number) => (isHalf(unit) ? unit + 0x10000 : unit);

const listOf = (actual: unknown): unknown[] => (Array.isArray(actual) ? actual : []);

const listHolds = (operator: Operator, values: Scalar[], actual: unknown): boolean =>
  operator === 'is_empty' ? listOf(actual).length === 0 : listOf(actual).some((one) => values.includes(one as Scalar));

/** Of a list of names one is compared. */
const nameHolds = (operator: Operator, values: string[], actual: unknown, folds: Folds): boolean =>
  operator === 'is_empty'
    ? listOf(actual).length === 0
    : listOf(actual).some((one) => typeof one === 'string' && textHolds(operator, values, one, folds, folds.folded));

function jsonHolds(operator: Operator, values: Scalar[], actual: unknown, folds: Folds): boolean {
  if (operator === 'is_empty') return isNothing(actual) || actual === '';
  if (!isOrder(operator) && !isPart(operator)) return values.includes(actual as Scalar);
  if (typeof actual !== typeof values[0]) return false;
  if (isPart(operator)) return partHolds(operator, values[0] as string, actual as string, folds);
  return inOrder(operator, (value) => compareScalars(actual as Scalar, value), values);
}

const compareScalars = (actual: Scalar, value: Scalar): number =>
  typeof actual === 'string' ? compareTexts(actual, value as string) : Number(actual) - Number(value);

function typedHolds(field: TypedSource, operator: Operator, values: Scalar[], actual: unknown, folds: Folds): boolean {
  if (operator === 'is_empty') return actual === undefined;
  if (isNothing(actual)) return false;
  if (field.type === 'choices') return listHolds(operator, values, actual);
  if (isPart(operator)) return typeof actual === 'string' && partHolds(operator, values[0] as string, actual, folds);
  if (!isOrder(operator)) return values.includes(actual as Scalar);
  if (field.type === 'amount') return inOrder(operator, (value) => compareDecimals(String(actual), value as string), values);
  // Days and times in UTC are in the order of their texts.
  if (valueColumn(field) === 'number_value') return inOrder(operator, (value) => Number(actual) - Number(value), values);
  return inOrder(operator, (value) => compareTexts(String(actual), value as string), values);
}
