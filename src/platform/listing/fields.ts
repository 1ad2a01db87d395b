/** The SQL is ours, never a client's. */
export type Fields = {
  columns: Record<string, Column>;
  objects: Record<string, { sql: string; isUnindexed?: boolean }>;
  /** Names in another table, compared without case and accents. `from` follows `select 1 from`. */
  names: Record<string, { from: string; name: string }>;
  search: Search;
};

/**
 * `text`: the column that a search reads. `words`: its source in which a word is found anywhere. `within`: finds the record by a condition on
 * another table's row that has both.
 */
export type Search = { text: string; words: string; within?: (condition: string) => string };

export type SortedType = 'id' | 'text' | 'time';
export type ColumnType = SortedType | 'choice' | 'boolean';
/** A sortable column has an index in that order. */
export type Column = {
  sql: string;
  type: ColumnType;
  isSortable?: boolean;
  isNullable?: boolean;
  /** For what would have an index by its type. */
  isUnindexed?: boolean;
  /** Of a choice. */
  values?: readonly string[];
  isSortedFolded?: boolean;
  isCaseless?: boolean;
  /** Spells a whole value, or its beginning, as the column does. */
  canonical?: (given: string) => string;
  address?: Address;
};
/** The search column holds this value too, after a line break; a phone without its plus. */
export type Address = { text: string; isPhone: boolean };

export type FieldType = ColumnType | 'json' | 'name';
export type Field = Omit<Column, 'type'> & {
  type: FieldType;
  key?: string;
  name?: string;
};

const ownKey = /^\P{Cc}{1,128}$/u;

/** A JSON field's key is everything after the first dot. */
export function fieldOf({ columns, objects, names }: Fields, given: string): Field | undefined {
  if (Object.hasOwn(columns, given)) return columns[given];
  if (Object.hasOwn(names, given)) return { type: 'name', sql: names[given]!.from, name: names[given]!.name };
  const dot = given.indexOf('.');
  const object = given.slice(0, dot);
  const key = given.slice(dot + 1);
  if (dot < 0 || !Object.hasOwn(objects, object) || !ownKey.test(key) || !key.isWellFormed()) return undefined;
  return { type: 'json', ...objects[object]!, key };
}

export const fieldNames = ({ columns, objects, names }: Fields) => [
  ...Object.keys(columns),
  ...Object.keys(names),
  ...Object.keys(objects).map((name) => `${name}.<key>`),
];

export const sortableNames = ({ columns }: Fields) => Object.keys(columns).filter((name) => columns[name]!.isSortable);
