import { type Context, defaultOperators, type FilterImplOptions, filters } from 'liquidjs';
import { dateFilter } from './date.ts';
import { maxDateFormat, maxPattern, maxText } from './limits.ts';

type FilterHandler = Extract<FilterImplOptions, (...args: never[]) => unknown>;
type Implementation = ThisParameterType<FilterHandler>;
type Operator = (left: unknown, right: unknown, context: Context) => ReturnType<(typeof defaultOperators)[string]>;

/**
 * A list of what is allowed: filters that a later version of the engine adds are not. Left out: those with an expression in an argument
 * (`where_exp`), those that make or walk lists (`map`, `concat`, `sort`), HTML, JSON, hashes, chance.
 */
export const allowedFilters = [
  'default',
  ...['append', 'prepend', 'capitalize', 'upcase', 'downcase', 'strip', 'lstrip', 'rstrip', 'squish', 'strip_newlines'],
  ...['truncate', 'truncatewords', 'replace', 'replace_first', 'remove', 'remove_first', 'split', 'slice', 'url_encode'],
  ...['join', 'first', 'last', 'size'],
  ...['plus', 'minus', 'times', 'divided_by', 'modulo', 'round', 'floor', 'ceil', 'abs', 'at_least', 'at_most'],
  'date',
];

const searching = ['replace', 'replace_first', 'remove', 'remove_first', 'split'];
/** Others would make a text of a list, as long as all its values. */
const ofLists = ['default', 'join', 'first', 'last', 'size', 'slice'];
/** What makes another text of a longer one may take its time, and give a far longer one. */
const ofLongTexts = ['default', 'truncate', 'slice', 'size'];
const callCost = 20;
/** A name of a month or a zone makes a formatter, which takes about 50 µs. */
const datePartCost = 1_000;

const lengthOf = (value: unknown) => (typeof value === 'string' ? value.length : 0);
const isComposed = (value: unknown) =>
  Array.isArray(value) || (value !== null && typeof value === 'object' && Object.getPrototypeOf(value) === null);

function costOf(name: string, values: unknown[]): number {
  const read = values.reduce<number>((sum, value) => sum + lengthOf(value), callCost);
  if (name !== 'date') return read;
  const [, format] = values;
  const parts = typeof format === 'string' ? format.split('%').length : 8;
  // Two for the zone.
  return read + datePartCost * (parts + 2);
}

function assertBounded(name: string, value: unknown, args: unknown[]): void {
  if (args.some(isComposed) || (isComposed(value) && !ofLists.includes(name)))
    throw new Error(`The filter ${name} takes no lists`);
  if (lengthOf(value) > maxText && !ofLongTexts.includes(name))
    throw new Error(`The filter ${name} takes at most ${maxText} characters: use truncate before it`);
  if (name === 'join' && Array.isArray(value) && (value.length - 1) * lengthOf(args[0]) > maxText) throw tooLong(name);
  const max = name === 'date' ? maxDateFormat : searching.includes(name) ? maxPattern : maxText;
  const checked = searching.includes(name) ? args.slice(0, 1) : args;
  if (checked.some((arg) => lengthOf(arg) > max))
    throw new Error(`An argument of the filter ${name} has more than ${max} characters`);
}

const tooLong = (name: string) => new Error(`The filter ${name} gives more than ${maxText} characters`);

function spend({ renderLimit, memoryLimit }: Context, cost: number): void {
  renderLimit.check(performance.now());
  memoryLimit.use(cost);
}

function bounded(name: string, original: FilterHandler): FilterHandler {
  return function (this: Implementation, value: unknown, ...args: unknown[]) {
    spend(this.context, costOf(name, [value, ...args]));
    assertBounded(name, value, args);
    const isApart = name === 'split' && args[0] === '' && typeof value === 'string';
    const result: unknown = isApart ? [...value] : original.call(this, value, ...args);
    if (lengthOf(result) > maxText) throw tooLong(name);
    return result;
  };
}

const handlerOf = (name: string) => (name === 'date' ? dateFilter : (filters[name] as FilterHandler));

export const boundedFilters = (): [string, FilterHandler][] =>
  allowedFilters.map((name) => [name, bounded(name, handlerOf(name))]);

/** To compare lists means to read them whole. */
const compares = (operator: string): [string, Operator] => {
  const original = defaultOperators[operator] as Operator;
  return [
    operator,
    (left, right, context) => {
      spend(context, callCost);
      if (isComposed(left) && isComposed(right)) throw new Error('Lists are not compared');
      if (/[<>]/.test(operator) && (isComposed(left) || isComposed(right))) throw new Error('Lists have no order');
      return original(left, right, context);
    },
  ];
};

function contains(whole: unknown, part: unknown, context: Context): boolean {
  const isList = Array.isArray(whole);
  spend(context, callCost + (isList ? whole.length : lengthOf(whole)));
  if (isList) return whole.includes(part);
  if (typeof whole !== 'string' || isComposed(part)) return false;
  if (lengthOf(part) > maxPattern) throw new Error(`A text is searched for at most ${maxPattern} characters`);
  return whole.includes(String(part ?? ''));
}

export const boundedOperators: typeof defaultOperators = {
  ...defaultOperators,
  ...Object.fromEntries(['==', '!=', '<', '>', '<=', '>='].map(compares)),
  contains,
};

/** Only what a person can read is shown: an empty place, a list and `NaN` are mistakes. */
export function shown(value: unknown): string {
  if (value === undefined || value === null) throw new Error('A value is missing');
  if (typeof value === 'boolean') return String(value);
  if (typeof value === 'number' && Number.isFinite(value)) return String(value);
  if (typeof value === 'string' && value.length <= maxText) return value.toWellFormed();
  if (Array.isArray(value)) throw new Error('A list is not a text: use join, first or size');
  throw new Error(`A value is not a text of at most ${maxText} characters`);
}
