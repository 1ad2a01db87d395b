import type { Field, FieldType } from './fields.ts';
import type { Condition } from './filters.ts';
import type { Operator } from './operators.ts';
import { isShort, isUnspaced, tellingOf } from './search.ts';
import { isTypedIndexed } from './typed.ts';

const equality: readonly Operator[] = ['eq', 'in'];
const inOrder: readonly Operator[] = [...equality, 'gt', 'gte', 'lt', 'lte', 'between'];

const answered: Record<Exclude<FieldType, 'typed'>, readonly Operator[]> = {
  id: equality,
  json: equality,
  name: equality,
  link: equality,
  time: inOrder,
  choice: equality,
  boolean: [],
  // Few records have any: an index of those.
  codes: [...equality, 'is_not_empty'],
  number: [],
  text: [],
};

export function isIndexed({ field, operator, values }: Condition): boolean {
  if (field.isUnindexed) return false;
  if (field.type === 'typed') return isTypedIndexed(field.typed!, operator);
  if (field.isKeyed && equality.includes(operator)) return true;
  if (field.type === 'text') return operator === 'eq' && isIndexedText(field, values[0] as string);
  return answered[field.type].includes(operator) && (field.type !== 'time' || field.isSortable === true);
}

/** No index finds an empty text. The index of addresses needs three characters: every phone begins with `+`. */
function isIndexedText({ address, isSortedFolded }: Field, value: string): boolean {
  if (isSortedFolded) return value !== '';
  return address !== undefined && threeInARow.test(tellingOf(address, value).normalize('NFKC'));
}

const threeInARow = /[\p{L}\p{N}]{3}/u;

/** A search index finds three characters in a row, or the beginning of a word. */
export const isIndexedWord = (word: string): boolean =>
  isShort(word) ? /^[\p{L}\p{N}]/u.test(word.normalize('NFKC')) : isUnspaced(word) || threeInARow.test(word.normalize('NFKC'));
