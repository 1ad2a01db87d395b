import type { Faults } from './faults.ts';
import type { Limit } from './limits.ts';

type At = { path: string; what: string; limit: Limit };

/** Of Unicode characters: an emoji of one code point is one, as is a letter of any script; marks of direction count too. */
export const lengthOf = (text: string): number => {
  let length = 0;
  for (const _ of text) length += 1;
  return length;
};

/** A text that the phone fills in: its length is not known here. From version 6.0 on, one in backticks is computed. */
export const isDynamic = (text: string): boolean => /^\$\{[^}]*\}$/.test(text) || /^`.*`$/s.test(text);

/** A longer one has more characters than any limit; to count 10 MiB takes too long. */
const maxCounted = 10_000;

/** A static text, or one that is missing. */
export function checkText(text: string, { path, what, limit }: At, faults: Faults): void {
  if (text.trim() === '') {
    if (limit.min > 0) faults.at(path, { error: 'MIN_CHARS_REQUIRED', message: `The ${what} must not be empty` });
    return;
  }
  if (text.length <= limit.max) return;
  const length = text.length > maxCounted ? undefined : lengthOf(text);
  const isOver = length === undefined || length > limit.max;
  const shown = isOver
    ? `${length ?? `over ${maxCounted / 2}`} characters`
    : `${text.length} characters if an emoji counts as two`;
  faults.at(path, {
    error: 'MAX_CHARS_EXCEEDED',
    message: `The ${what} has ${shown}, and ${limit.max} are allowed`,
    severity: isOver ? 'error' : 'warning',
  });
}
