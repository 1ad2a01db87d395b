import { conditionSql } from './conditions.ts';
import type { Bind, Fields } from './fields.ts';
import { type Condition, readFilters } from './filters.ts';
import { beyondSql, bindingOf, type Position } from './keyset.ts';
import { wordSql, wordsOf } from './search.ts';
import { orderSql, readSort, type SortKey } from './sort.ts';

/** As a client asks: `-updated_at,name`, a JSON array of filters, words. `location`: where errors say that it stood; the query unless told. */
export type ListRequest = { sort?: string; filters?: string; search?: string; location?: 'query' | 'body' };

/** What is listed and in which order, read and checked. */
export type Listing = { keys: SortKey[]; conditions: Condition[]; words: string[]; binding: string };

/** `scope` names the list. Throws 400 and 422 as the parts do. */
export function readListing(
  scope: string,
  fields: Fields,
  { sort = '-created_at', filters, search = '', location = 'query' }: ListRequest,
): Listing {
  const keys = readSort(fields, sort, location);
  const conditions = readFilters(fields, filters, location);
  const words = wordsOf(search);
  const binding = bindingOf([
    scope,
    keys.map(({ name, isDescending }) => [name, isDescending]),
    conditions.map(({ name, operator, values }) => [name, operator, values]),
    words,
  ]);
  return { keys, conditions, words, binding };
}

/** The parts of the statement that lists, beside its columns and its tenant. `bind` is called in the order of the placeholders. */
export function listingSql(fields: Fields, { keys, conditions, words }: Listing, bind: Bind, after?: Position) {
  const matching = [
    ...conditions.map((condition) => conditionSql(condition, bind)),
    ...words.map((word) => wordSql(fields.search, word, bind)),
    ...(after ? [beyondSql(keys, after, bind)] : []),
  ];
  return { where: matching.map((condition) => ` and ${condition}`).join(''), orderBy: orderSql(keys) };
}
