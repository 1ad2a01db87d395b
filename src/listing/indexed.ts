import type { FieldType } from './fields.ts';
import type { Condition, Operator } from './filters.ts';
import { isShort } from './search.ts';

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
export function isIndexed({ field, operator }: Condition): boolean {
  if (field.type === 'text') return operator === 'eq' && (field.address !== undefined || field.isSortedFolded === true);
  return answered[field.type].includes(operator) && (field.type !== 'time' || field.isSortable === true);
}

/** The index of a search knows three characters that follow one another, and the beginning of a word. */
export const isIndexedWord = (word: string): boolean =>
  isShort(word) ? /^[\p{L}\p{N}]/u.test(word.normalize('NFKC')) : /[\p{L}\p{N}]{3}/u.test(word.normalize('NFKC'));
