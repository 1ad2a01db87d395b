import type { Bind } from './bind.ts';
import { conditionSql } from './conditions.ts';
import { bindingOf, positionIn } from './cursor.ts';
import type { Fields } from './fields.ts';
import { type Condition, readFilters } from './filters.ts';
import { isIndexed, isIndexedWord } from './indexed.ts';
import { beyondSql, type Position } from './keyset.ts';
import { isShort, wordSql, wordsOf } from './search.ts';
import { orderSql, readSort, type SortKey } from './sort.ts';

/** As the client writes it: `-updated_at,name`, a JSON array, words. Errors name `location`. `usual`: the order where none is named. */
export type ListRequest = { sort?: string; filters?: string; search?: string; location?: 'query' | 'body'; usual?: string };

export type Listing = { keys: SortKey[]; conditions: Condition[]; words: string[]; unindexed: number; binding: string };

export function readListing(
  scope: string,
  fields: Fields,
  { usual = '-created_at', sort = usual, filters, search = '', location = 'query' }: ListRequest,
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
  const unindexed =
    conditions.filter((one) => !isIndexed(one)).length + words.filter((one) => !(isIndexedWord(one) && isShort(one))).length;
  return { keys, conditions, words, unindexed, binding };
}

export const beginOf = ({ binding, keys }: Listing, cursor: string): Position =>
  positionIn(
    cursor,
    binding,
    keys.map(({ type }) => type),
  );

/** `where`: what an index answers, and the page's begin. `rest`: compared record by record. Binds in placeholder order. */
export function listingSql(fields: Fields, { keys, conditions, words }: Listing, bind: Bind, after?: Position) {
  const [where, rest]: [string[], string[]] = [[], []];
  const placed = fields.search.within ?? ((condition: string) => condition);
  for (const condition of conditions) (isIndexed(condition) ? where : rest).push(conditionSql(condition, bind));
  for (const word of words) {
    const { found, holds } = wordSql(fields.search, word, bind);
    (isIndexedWord(word) ? where : rest).push(placed(found));
    if (holds) rest.push(placed(holds));
  }
  if (after) where.push(beyondSql(keys, after, bind));
  const allOf = (parts: string[]) => parts.map((part) => ` and ${part}`).join('');
  return { where: allOf(where), rest: allOf(rest), orderBy: orderSql(keys) };
}
