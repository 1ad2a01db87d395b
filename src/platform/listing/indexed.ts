import type { Field, FieldType } from './fields.ts';
import type { Condition, Operator } from './filters.ts';
import { isShort, tellingOf } from './search.ts';

const equality: readonly Operator[] = ['eq', 'in'];
const inOrder: readonly Operator[] = [...equality, 'gt', 'gte', 'lt', 'lte', 'between'];

/** What an index answers by the type of the field; of texts only those with an index of their own (`isIndexedText`). */
const answered: Record<FieldType, readonly Operator[]> = {
  id: equality,
  json: equality,
  name: equality,
  time: inOrder,
  text: [],
};

/** Whether an index finds the records of a condition. Of what none finds, only so many records are looked at (page.ts). */
export function isIndexed({ field, operator, values }: Condition): boolean {
  if (field.type === 'text') return operator === 'eq' && isIndexedText(field, values[0] as string);
  return answered[field.type].includes(operator) && (field.type !== 'time' || field.isSortable === true);
}

/** No index finds a text that is empty, and that of the addresses none without what it knows: `+` begins every phone. */
function isIndexedText({ address, isSortedFolded }: Field, value: string): boolean {
  if (isSortedFolded) return value !== '';
  return address !== undefined && threeInARow.test(tellingOf(address, value).normalize('NFKC'));
}

const threeInARow = /[\p{L}\p{N}]{3}/u;

/** The index of a search knows three characters that follow one another, and the beginning of a word. */
export const isIndexedWord = (word: string): boolean =>
  isShort(word) ? /^[\p{L}\p{N}]/u.test(word.normalize('NFKC')) : threeInARow.test(word.normalize('NFKC'));
