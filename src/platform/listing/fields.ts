/** What a list can be filtered and sorted by; the SQL is ours, never a client's. */
export type Fields = {
  /** Columns, never null, by the names of the API; the rows of the list have them by the same names. */
  columns: Record<string, Column>;
  /** JSON objects, whose own fields follow a dot. */
  objects: Record<string, string>;
  /** Names that a record has in another table, compared without case and accents: what follows `select 1 from`, up to a condition on the name. */
  names: Record<string, { from: string; name: string }>;
  search: Search;
};

/** `text`: the column that a search reads. `words`: the one of its sources in which a word is found anywhere. */
export type Search = { text: string; words: string };

export type ColumnType = 'id' | 'text' | 'time';
/** A sortable column has an index in that order. */
export type Column = {
  sql: string;
  type: ColumnType;
  isSortable?: boolean;
  /** Sorted without case and accents. */
  isSortedFolded?: boolean;
  /** Values are compared without case. */
  isCaseless?: boolean;
  /** How the column spells a whole value, or the beginning of one. */
  canonical?: (given: string) => string;
  address?: Address;
};
/** A column whose value the search column holds too, after a line break: as it is, or a phone without its plus. */
export type Address = { text: string; isPhone: boolean };

export type FieldType = ColumnType | 'json' | 'name';
export type Field = Pick<Column, 'sql' | 'isSortable' | 'isSortedFolded' | 'isCaseless' | 'canonical' | 'address'> & {
  type: FieldType;
  key?: string;
  name?: string;
};

const ownKey = /^\P{Cc}{1,128}$/u;

/** A field by the name a client gave; the key of a JSON field is everything after the first dot. */
export function fieldOf({ columns, objects, names }: Fields, given: string): Field | undefined {
  if (Object.hasOwn(columns, given)) return columns[given];
  if (Object.hasOwn(names, given)) return { type: 'name', sql: names[given]!.from, name: names[given]!.name };
  const dot = given.indexOf('.');
  const object = given.slice(0, dot);
  const key = given.slice(dot + 1);
  if (dot < 0 || !Object.hasOwn(objects, object) || !ownKey.test(key) || !key.isWellFormed()) return undefined;
  return { type: 'json', sql: objects[object]!, key };
}

export const fieldNames = ({ columns, objects, names }: Fields) => [
  ...Object.keys(columns),
  ...Object.keys(names),
  ...Object.keys(objects).map((name) => `${name}.<key>`),
];

export const sortableNames = ({ columns }: Fields) => Object.keys(columns).filter((name) => columns[name]!.isSortable);
