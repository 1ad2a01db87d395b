import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe } from '@jest/globals';

/** The provider's own examples are not part of this project: they are looked for beside it, or where KANAL_FIXTURES says. */
const folder = process.env.KANAL_FIXTURES ?? join(import.meta.dirname, '../../../shared/fixtures/whatsapp');

// biome-ignore lint/suspicious/noExplicitAny: examples of every shape
export type Json = any;
export type Examples = Record<string, Json>;

/** Runs a suite over examples of our own and, where they are, over the provider's; that these are not there is said. */
export function describeExamples<T = Examples>(name: string, file: string, own: T, suite: (examples: T) => void) {
  describe(`our examples of ${name}`, () => suite(own));
  const path = join(folder, file);
  if (existsSync(path)) describe(`the provider's examples of ${name}`, () => suite(JSON.parse(readFileSync(path, 'utf8')) as T));
  else console.warn(`The provider's examples of ${name} are left out: there is no ${path} (KANAL_FIXTURES names another folder)`);
}

/** Gives the placeholders of an example a value; what has none in `values` stays. */
export function filled<T>(example: T, values: [RegExp, string][]): T {
  const text = JSON.stringify(example).replace(/"((?:[^"\\]|\\.)*)"/g, (whole, inside: string) => {
    const value = values.find(([pattern]) => pattern.test(inside))?.[1];
    return value === undefined ? whole : JSON.stringify(value);
  });
  return JSON.parse(text) as T;
}
