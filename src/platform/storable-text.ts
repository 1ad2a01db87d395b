/** NUL and half a surrogate pair, which PostgreSQL refuses, each become U+FFFD. For text of other systems; a client's own is a 422 (storable.ts). */
export const storableText = (text: string): string => text.replaceAll('\u0000', '\ufffd').toWellFormed();

/** Only an escape can hold one of them: decoding bytes gives no half a pair. */
const escapes = /\\u(?:0000|d[89a-f])/i;

/** JSON of other systems, with texts that PostgreSQL can store. Throws SyntaxError. */
export function parseStorable(json: string): unknown {
  if (!escapes.test(json)) return JSON.parse(json);
  return JSON.parse(json, (_name, value: unknown) => (typeof value === 'string' ? storableText(value) : value));
}
