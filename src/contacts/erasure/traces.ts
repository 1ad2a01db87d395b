import type { Identity } from '../identities/identity.ts';

/** In place of a trace: an empty text would be no node of a document. */
export const removed = '[removed]';

const minPartLength = 3;
const minDigits = 6;
/** A shorter id stands in other words by chance. */
const minLength = 4;

const literal = (text: string) => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
const alone = (pattern: string) => `(?<![\\p{L}\\p{N}])${pattern}(?![\\p{L}\\p{N}])`;

/** People write a number with blanks, brackets, dots and strokes. */
const numberPattern = (digits: string) => `(?<!\\d)\\+?${[...digits].join('[\\s()./-]*')}(?!\\d)`;

const namePatterns = (name: string) => {
  const words = name.split(/\s+/).filter(Boolean);
  return words.length === 0 ? [] : [alone(words.map((word) => literal(word)).join('\\s+'))];
};

/** One of a name's words, in the letters of the name: `Will` is a person, `will` a word. */
const partPatterns = (name: string) =>
  name
    .split(/\s+/)
    .filter((word) => word.length >= minPartLength && /^\p{Lu}/u.test(word))
    .map((word) => alone(literal(word)));

const regExpsOf = (some: string[], flags: string) => (some.length > 0 ? [new RegExp(some.join('|'), flags)] : []);

function addressPatterns({ type, value }: Identity): string[] {
  const digits = value.replace(/\D/g, '');
  if (type === 'phone' || type === 'messaging_app') return digits.length < minDigits ? [] : [numberPattern(digits)];
  return value.length < minLength ? [] : [alone(literal(value))];
}

/**
 * Blanks the person's addresses and names in any JSON value. The same value: there is none of them in it. In a key a name of one word counts in its own capitals
 * only: who is called Title is not the `title` of a deal. Rows of ours are cleaned value by value all the same: an external id may be any word.
 */
export function tracesOf(identities: Identity[], names: string[]): <Value>(value: Value) => Value {
  const addresses = identities.flatMap(addressPatterns);
  const parts = regExpsOf(names.flatMap(partPatterns), 'gu');
  const patterns = [...regExpsOf([...addresses, ...names.flatMap(namePatterns)], 'giu'), ...parts];
  const longNames = names.filter((name) => /\S\s+\S/.test(name));
  const ofKeys = [...regExpsOf([...addresses, ...longNames.flatMap(namePatterns)], 'giu'), ...parts];
  const without = (some: RegExp[]) => (text: string) => some.reduce((left, pattern) => left.replace(pattern, removed), text);
  const [cleanText, cleanKey] = [without(patterns), without(ofKeys)];
  const clean = (value: unknown): unknown => {
    if (typeof value === 'string') return cleanText(value);
    if (typeof value === 'number') return cleanText(String(value)) === String(value) ? value : null;
    if (Array.isArray(value)) return value.map(clean);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, child]) => [cleanKey(key), clean(child)]));
  };
  return (value) => (patterns.length === 0 ? value : (clean(value) as typeof value));
}
