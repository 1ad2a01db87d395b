export type Json = Record<string, unknown>;

export const object = (value: unknown): Json =>
  value !== null && typeof value === 'object' && !Array.isArray(value) ? (value as Json) : {};

/** A person can write NUL and half a surrogate pair, which the database refuses: each becomes U+FFFD. */
export const holdable = (text: string) => text.replaceAll('\u0000', '\ufffd').toWellFormed();

/** Empty for anything but text and numbers. `String` would throw on an object with a `toString` of its own. */
export const textOf = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? holdable(String(value)) : '';
