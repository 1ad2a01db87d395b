import { invalidField } from '../errors.ts';
import { type Fields, type KeyType, type SortedType, sortableNames, sortableTypedNames } from './fields.ts';
import { type TypedField, valueColumn } from './typed.ts';

/** `isFolded`: `sql` is `fold()` of the column; compared values must be folded too. */
export type SortKey = {
  name: string;
  sql: string;
  type: KeyType;
  isFolded: boolean;
  isDescending: boolean;
  /** Of a time: then it is `infinity` in a position. */
  mayBeMissing?: boolean;
  /** Of a value. */
  cast?: string;
};

const maxKeys = 3;

/** The id comes last, in the direction of the last key. Throws 422. */
export function readSort(fields: Fields, text: string, location: string): SortKey[] {
  const refused = (message: string, code = 'any.only') => invalidField('sort', message, code, location);
  const given = text.split(',').map((key) => key.trim());
  if (given.length > maxKeys) throw refused(`sort must not have more than ${maxKeys} keys`, 'array.max');
  const names = sortableNames(fields);
  const typed = sortableTypedNames(fields);
  const keys = given.map((key) => {
    const name = key.replace(/^-/, '');
    if (typed.includes(name)) throw refused(`sort by ${name} must have no other key`);
    if (!names.includes(name))
      throw refused(
        `sort must be made of ${[...names, ...typed].join(', ')}, each with - for descending${toIndex(fields, name)}`,
      );
    const { sql, inOrder, type, isSortedFolded: isFolded = false } = fields.columns[name]!;
    return {
      name,
      sql: isFolded ? `fold(${sql})` : (inOrder ?? sql),
      type: type as SortedType,
      isFolded,
      isDescending: key.startsWith('-'),
      ...(inOrder && { mayBeMissing: true }),
    };
  });
  if (new Set(keys.map(({ name }) => name)).size < keys.length) throw refused('sort must name each field once', 'array.unique');
  // After the time that is in the id nothing is left to sort.
  const inId = keys.findIndex(({ name }) => fields.columns[name]!.isInId);
  if (inId >= 0) return [...keys.slice(0, inId), idKey(fields, keys[inId]!.isDescending)];
  return [...keys, idKey(fields, keys.at(-1)!.isDescending)];
}

const toIndex = ({ typed }: Fields, name: string) =>
  typed && Object.hasOwn(typed.fields, name) ? `; ${name} must be indexed before` : '';

const idKey = ({ columns }: Fields, isDescending: boolean): SortKey => ({
  name: 'id',
  sql: columns.id!.sql,
  type: 'id',
  isFolded: false,
  isDescending,
});

/** A typed field by which a list is sorted: first those who have a value, by it, then the others by their id. */
export type ValueSort = { field: TypedField; column: string; isDescending: boolean };

export function readValueSort(fields: Fields, text: string): ValueSort | undefined {
  const name = text.trim().replace(/^-/, '');
  if (!sortableTypedNames(fields).includes(name)) return undefined;
  const field = fields.typed!.fields[name]!;
  return { field, column: valueColumn(field), isDescending: text.trim().startsWith('-') };
}

export const sortColumnsSql = (keys: SortKey[]) => keys.map(({ name, sql }) => `${sql} as sorted_by_${name}`).join(', ');
export const sortedAgainSql = (keys: SortKey[]) =>
  keys.map(({ name, isDescending }) => `k.sorted_by_${name}${isDescending ? ' desc' : ''}`).join(', ');

export const orderSql = (keys: SortKey[]) => keys.map(({ sql, isDescending }) => (isDescending ? `${sql} desc` : sql)).join(', ');
