import { storableText } from '../../platform/storable-text.ts';

export type Json = Record<string, unknown>;

export const object = (value: unknown): Json =>
  value !== null && typeof value === 'object' && !Array.isArray(value) ? (value as Json) : {};

export { storableText as holdable };

/** Empty for anything but text and numbers. `String` would throw on an object with a `toString` of its own. */
export const textOf = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? storableText(String(value)) : '';
