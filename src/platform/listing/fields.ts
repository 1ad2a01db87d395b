import { isSortableType, type Typed, type TypedSource } from './typed.ts';

/** The SQL is ours, never a client's. */
export type Fields = {
  columns: Record<string, Column>;
  objects: Record<string, { sql: string; isUnindexed?: boolean }>;
  /** Names in another table, compared without case and accents. `from` follows `select 1 from`. */
  names: Record<string, { from: string; name: string; found?: FoundBy }>;
  /** Ids in another table, which has an index by them. `from` follows `select 1 from`. */
  links?: Record<string, { from: string; id: string }>;
  search: Search;
  /** Declared by an organization: each list has its own. */
  typed?: Typed;
};

/**
 * `text`: the column that a search reads. `words`: its source in which a word is found anywhere. `within`: finds the record by a condition on
 * another table's row that has both.
 */
export type Search = { text: string; words: string; within?: (condition: string) => string; found?: FoundBy };
/**
 * Finds records by an index of another table: `select` selects those values of `column` whose rows there a condition holds of; its
 * `organization_id` is `$1`. For lists whose planner cannot know how many records that are (wide.ts).
 */
export type FoundBy = { column: string; select: (condition: string) => string };

export type SortedType = 'id' | 'text' | 'time' | 'number';
/** `value`: of a typed field, as its index has it. */
export type KeyType = SortedType | 'value';
/** `codes`: a list of texts, of which one is compared. */
export type ColumnType = SortedType | 'choice' | 'boolean' | 'codes';
/** A sortable column has an index in that order. */
export type Column = {
  sql: string;
  type: ColumnType;
  isSortable?: boolean;
  isNullable?: boolean;
  /** Of a nullable time: the index's expression, in which a missing one is `infinity`. */
  inOrder?: string;
  /** For what would have an index by its type. */
  isUnindexed?: boolean;
  /** Of a text: a unique index by the whole value. */
  isKeyed?: boolean;
  /** Of a choice, or of each code. */
  values?: readonly string[];
  isSortedFolded?: boolean;
  isCaseless?: boolean;
  /** Spells a whole value, or its beginning, as the column does. */
  canonical?: (given: string) => string;
  address?: Address;
  /** A time that is the one in the id: both are one order, and a condition on it is one on the id. */
  isInId?: boolean;
};
/** The search column holds this value too, after a line break; a phone without its plus. */
export type Address = { text: string; isPhone: boolean };

export type FieldType = ColumnType | 'json' | 'name' | 'link' | 'typed';
export type Field = Omit<Column, 'type'> & {
  type: FieldType;
  key?: string;
  name?: string;
  found?: FoundBy;
  typed?: TypedSource;
  /** Of a link. */
  id?: string;
};

const ownKey = /^\P{Cc}{1,128}$/u;

/** A JSON field's key is everything after the first dot. */
export function fieldOf({ columns, objects, names, links = {}, typed }: Fields, given: string): Field | undefined {
  if (Object.hasOwn(columns, given)) return columns[given];
  if (Object.hasOwn(names, given)) {
    const { from, name, found } = names[given]!;
    return { type: 'name', sql: from, name, ...(found && { found }) };
  }
  if (Object.hasOwn(links, given)) return { type: 'link', sql: links[given]!.from, id: links[given]!.id };
  if (typed && Object.hasOwn(typed.fields, given))
    return { type: 'typed', sql: typed.object, typed: { ...typed, ...typed.fields[given]! } };
  const dot = given.indexOf('.');
  const object = given.slice(0, dot);
  const key = given.slice(dot + 1);
  if (dot < 0 || !Object.hasOwn(objects, object) || !ownKey.test(key) || !key.isWellFormed()) return undefined;
  return { type: 'json', ...objects[object]!, key };
}

export const fieldNames = ({ columns, objects, names, links = {}, typed }: Fields) => [
  ...Object.keys(columns),
  ...Object.keys(names),
  ...Object.keys(links),
  ...Object.keys(typed?.fields ?? {}),
  ...Object.keys(objects).map((name) => `${name}.<key>`),
];

export const sortableNames = ({ columns }: Fields) => Object.keys(columns).filter((name) => columns[name]!.isSortable);
/** Each of these sorts alone. */
export const sortableTypedNames = ({ typed }: Fields) =>
  Object.keys(typed?.fields ?? {}).filter((name) => typed!.fields[name]!.isIndexed && isSortableType(typed!.fields[name]!));
