import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';

/**
 * The provider's own examples are not part of this project. They are looked for beside it, or where KANAL_FIXTURES says. Their kinds all
 * have tests of our own payloads too: inbound-kinds, the tables of the client's sends, messaging-app-error-codes.
 */
const folder = process.env.KANAL_FIXTURES ?? join(import.meta.dirname, '../../../shared/fixtures/whatsapp');

// biome-ignore lint/suspicious/noExplicitAny: examples of every shape
export type Json = any;
export type Examples = Record<string, Json>;

/** Runs a suite over one file of examples; without the folder one test says that there is nothing to run. */
export function describeExamples<T = Examples>(name: string, file: string, suite: (examples: T) => void) {
  const path = join(folder, file);
  describe(name, () => {
    if (existsSync(path)) {
      suite(JSON.parse(readFileSync(path, 'utf8')) as T);
      return;
    }
    test('left out: the examples are not here', () => {
      console.warn(`${name}: left out, there is no ${path} (KANAL_FIXTURES names another folder)`);
      expect(existsSync(path)).toBe(false);
    });
  });
}

/** Gives the placeholders of an example a value; what has none in `values` stays. */
export function filled<T>(example: T, values: [RegExp, string][]): T {
  const text = JSON.stringify(example).replace(/"((?:[^"\\]|\\.)*)"/g, (whole, inside: string) => {
    const value = values.find(([pattern]) => pattern.test(inside))?.[1];
    return value === undefined ? whole : JSON.stringify(value);
  });
  return JSON.parse(text) as T;
}
