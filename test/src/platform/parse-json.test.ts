import { describe, expect, test } from '@jest/globals';
import { parseJson } from '../../../src/platform/parse-json.ts';
import { fc } from '../../support/fast-check.ts';

const parse = (text: string, max = 1_000) => parseJson(Buffer.from(text), max);
const list = (length: number) => `[${Array(length).fill('0').join(',')}]`;

describe('JSON of at most so many values', () => {
  test('is what JSON.parse makes of it, whatever is in it', () => {
    fc.assert(fc.property(fc.json({ maxDepth: 5 }), (text) => expect(parse(text)).toEqual(JSON.parse(text))));
  });

  test('has values counted, and never too few', () => {
    const countOf = (value: unknown): number =>
      typeof value === 'object' && value !== null ? Object.values(value).reduce<number>((sum, one) => sum + countOf(one), 1) : 1;
    fc.assert(
      fc.property(fc.json({ maxDepth: 5 }), (text) => {
        // As long as is needed to be counted at all.
        const padded = text + ' '.repeat(4 * countOf(JSON.parse(text)) + 4);
        const count = countOf(JSON.parse(text));
        if (count > 1) expect(() => parse(padded, count - 1)).toThrow(`more than ${count - 1} values`);
        // An empty list or object counts as if it held one.
        const empties = text.match(/\[\]|\{\}/g)?.length ?? 0;
        expect(parse(padded, count + empties)).toEqual(JSON.parse(text));
      }),
    );
  });

  test('is refused with one value more', () => {
    expect(parse(list(999))).toHaveLength(999);
    expect(() => parse(list(1_001))).toThrow('The body holds more than 1000 values');
  });

  test('does not count what is in a text', () => {
    const text = '[{,"\\'.repeat(5_000);
    expect(parse(JSON.stringify({ a: text }))).toEqual({ a: text });
  });

  test('of no bytes is an empty object, and a byte order mark is no part of it', () => {
    expect(parse('')).toEqual({});
    expect(parse('\ufeff{"a":1}')).toEqual({ a: 1 });
  });

  test.each(['{', '[1,]', '{}{}', 'x', '"', '"\\'])('%s is no JSON, however long', (text) => {
    expect(() => parse(text)).toThrow('not valid JSON');
    expect(() => parse(`${text}${' '.repeat(10_000)}`)).toThrow('not valid JSON');
  });
});
