import { conditionSql } from './conditions.ts';
import type { Bind, Fields } from './fields.ts';
import { type Condition, readFilters } from './filters.ts';
import { isIndexed, isIndexedWord } from './indexed.ts';
import { beyondSql, bindingOf, type Position } from './keyset.ts';
import { isShort, wordSql, wordsOf } from './search.ts';
import { orderSql, readSort, type SortKey } from './sort.ts';

/** As a client asks: `-updated_at,name`, a JSON array of filters, words. `location`: where errors say that it stood; the query unless told. */
export type ListRequest = { sort?: string; filters?: string; search?: string; location?: 'query' | 'body' };

/** What is listed and in which order, read and checked. `looks`: conditions and words for which each record must be looked at. */
export type Listing = { keys: SortKey[]; conditions: Condition[]; words: string[]; looks: number; binding: string };

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
  const looks =
    conditions.filter((one) => !isIndexed(one)).length + words.filter((one) => !(isIndexedWord(one) && isShort(one))).length;
  return { keys, conditions, words, looks, binding };
}

/**
 * The parts of the statement that lists, beside its columns and its tenant: `where` is what an index answers and where the page begins, `rest`
 * what must be looked at in each record. `bind` is called in the order of the placeholders.
 */
export function listingSql(fields: Fields, { keys, conditions, words }: Listing, bind: Bind, after?: Position) {
  const [where, rest]: [string[], string[]] = [[], []];
  for (const condition of conditions) (isIndexed(condition) ? where : rest).push(conditionSql(condition, bind));
  for (const word of words) {
    const { found, holds } = wordSql(fields.search, word, bind);
    (isIndexedWord(word) ? where : rest).push(found);
    if (holds) rest.push(holds);
  }
  if (after) where.push(beyondSql(keys, after, bind));
  const allOf = (parts: string[]) => parts.map((part) => ` and ${part}`).join('');
  return { where: allOf(where), rest: allOf(rest), orderBy: orderSql(keys) };
}
