import { invalidField } from '../errors.ts';
import { type Fields, type SortedType, sortableNames } from './fields.ts';

/** `isFolded`: `sql` is `fold()` of the column; compared values must be folded too. */
export type SortKey = { name: string; sql: string; type: SortedType; isFolded: boolean; isDescending: boolean };

const maxKeys = 3;

/** The id comes last, in the direction of the last key. Throws 422. */
export function readSort(fields: Fields, text: string, location: string): SortKey[] {
  const refused = (message: string, code = 'any.only') => invalidField('sort', message, code, location);
  const given = text.split(',').map((key) => key.trim());
  if (given.length > maxKeys) throw refused(`sort must not have more than ${maxKeys} keys`, 'array.max');
  const names = sortableNames(fields);
  const keys = given.map((key) => {
    const name = key.replace(/^-/, '');
    if (!names.includes(name)) throw refused(`sort must be made of ${names.join(', ')}, each with - for descending`);
    const { sql, type, isSortedFolded: isFolded = false } = fields.columns[name]!;
    return { name, sql: isFolded ? `fold(${sql})` : sql, type: type as SortedType, isFolded, isDescending: key.startsWith('-') };
  });
  if (new Set(keys.map(({ name }) => name)).size < keys.length) throw refused('sort must name each field once', 'array.unique');
  return [
    ...keys,
    { name: 'id', sql: fields.columns.id!.sql, type: 'id', isFolded: false, isDescending: keys.at(-1)!.isDescending },
  ];
}

export const sortColumnsSql = (keys: SortKey[]) => keys.map(({ name, sql }) => `${sql} as sorted_by_${name}`).join(', ');
export const sortedAgainSql = (keys: SortKey[]) =>
  keys.map(({ name, isDescending }) => `k.sorted_by_${name}${isDescending ? ' desc' : ''}`).join(', ');

export const orderSql = (keys: SortKey[]) => keys.map(({ sql, isDescending }) => (isDescending ? `${sql} desc` : sql)).join(', ');
