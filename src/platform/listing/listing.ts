import type { Bind } from './bind.ts';
import { conditionSql } from './conditions.ts';
import { bindingOf, positionIn } from './cursor.ts';
import type { Fields } from './fields.ts';
import { type Condition, type GivenFilters, readFilters } from './filters.ts';
import { type Group, groupSql, isIndexedGroup } from './groups.ts';
import { isIndexed, isIndexedWord } from './indexed.ts';
import { beyondSql, type Position } from './keyset.ts';
import { isShort, wordSql, wordsOf } from './search.ts';
import { orderSql, readSort, readValueSort, type SortKey } from './sort.ts';
import type { ListedTable } from './table.ts';
import { indexedSql } from './typed.ts';
import { assertValue, keysOfValue, type ValueOrder, valueOrderSql } from './value-order.ts';

/** As the client writes it: `-updated_at,name`, a JSON array, words. Errors name `location`. `usual`: the order where none is named. */
export type ListRequest = GivenFilters & { sort?: string; search?: string; location?: Location; usual?: string };
type Location = 'query' | 'body';

export type Listing = {
  keys: SortKey[];
  conditions: Condition[];
  /** One of each holds. */
  groups: Group[];
  words: string[];
  unindexed: number;
  binding: string;
  location: Location;
  /** The order, where it is that of a typed field. */
  value?: ValueOrder;
  /** The words are compared record by record, whatever an index would find. */
  comparesWords?: true;
  /** Records that were found elsewhere: those of which the column has one of the values (wide.ts). */
  found?: { column: string; ids: string };
};

export function readListing(
  scope: string,
  fields: Fields,
  { usual = '-created_at', sort = usual, filters, any, search = '', location = 'query' }: ListRequest,
): Listing {
  const value = readValueSort(fields, sort);
  const keys = value ? keysOfValue(value) : readSort(fields, sort, location);
  const { conditions, groups } = readFilters(fields, { filters, any }, location);
  const words = wordsOf(search);
  const binding = bindingOf([
    scope,
    value ? [value.field.id, value.isDescending] : keys.map(({ name, isDescending }) => [name, isDescending]),
    conditions.map(boundBy),
    words,
    ...groups.map((group) => group.map(boundBy)),
  ]);
  return { keys, conditions, groups, words, unindexed: unindexedOf({ conditions, groups, words }), binding, location, value };
}

/** Conditions that each record is compared with. */
export const unindexedOf = ({
  conditions,
  groups,
  words,
  comparesWords,
}: Pick<Listing, 'conditions' | 'groups' | 'words' | 'comparesWords'>) =>
  conditions.filter((one) => !isIndexed(one)).length +
  groups.filter((one) => !isIndexedGroup(one)).flat().length +
  words.filter((one) => comparesWords || !(isIndexedWord(one) && isShort(one))).length;

const boundBy = ({ name, operator, values }: Condition) => [name, operator, values];

export function beginOf({ binding, keys, value }: Listing, cursor: string): Position {
  const position = positionIn(
    cursor,
    binding,
    keys.map(({ type, mayBeMissing }) => (mayBeMissing ? 'time_or_none' : type)),
  );
  if (value) assertValue(value, position);
  return position;
}

/** `from`: tables to join. `where`: what an index answers, and the page's begin. `rest`: compared record by record. Binds in placeholder order. */
export function listingSql(
  table: Omit<ListedTable, 'columns'>,
  { keys, conditions, groups, words, value, comparesWords, found: known }: Listing,
  bind: Bind,
  after?: Position,
) {
  const { fields } = table;
  const [from, where, rest]: [string[], string[], string[]] = [[], [], []];
  const placed = fields.search.within ?? ((condition: string) => condition);
  for (const condition of conditions) {
    const { field, operator, values } = condition;
    if (!isIndexed(condition)) rest.push(conditionSql(condition, bind));
    else if (!field.typed?.isIndexed) where.push(conditionSql(condition, bind));
    else {
      const indexed = indexedSql(field.typed, operator, values, bind, `v${where.length}`);
      if (indexed.from) from.push(indexed.from);
      where.push(indexed.condition);
    }
  }
  for (const group of groups) {
    const { found, holds } = groupSql(table, group, bind);
    if (found) where.push(found);
    if (holds) rest.push(holds);
  }
  for (const word of words) {
    const { found, holds } = wordSql(fields.search, word, bind);
    (isIndexedWord(word) && !comparesWords ? where : rest).push(placed(found));
    if (holds) rest.push(placed(holds));
  }
  if (known) where.push(`${known.column} = any(${bind(known.ids)}::uuid[])`);
  if (after) where.push(beyondSql(keys, after, bind));
  if (value?.part) {
    const order = valueOrderSql(fields.typed!, value, bind);
    if (order.from) from.push(order.from);
    (order.from ? where : rest).push(order.condition);
  }
  const allOf = (parts: string[]) => parts.map((part) => ` and ${part}`).join('');
  return { from: from.map((table) => `, ${table}`).join(''), where: allOf(where), rest: allOf(rest), orderBy: orderSql(keys) };
}
