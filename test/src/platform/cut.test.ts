import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { cut, cutStart } from '../../../src/platform/cut.ts';
import { parseStorable } from '../../../src/platform/storable-text.ts';
import { fc } from '../../support/fast-check.ts';

const units = fc
  .array(fc.constantFrom('a', '😀', '\ud83d', '\ude00', '\u202e', '\u200b', '＝', '👩‍👧'), { maxLength: 12 })
  .map((parts) => parts.join(''));

describe('a cut text', () => {
  test('is well-formed, no longer than the limit, and at most one unit shorter', () => {
    fc.assert(
      fc.property(units, fc.nat({ max: 30 }), (text, max) => {
        for (const kept of [cut(text, max), cutStart(text, max)]) {
          expect(kept.isWellFormed()).toBe(true);
          expect(kept.length).toBeLessThanOrEqual(max);
          expect(kept.length).toBeGreaterThanOrEqual(Math.min(max, text.length) - 1);
        }
      }),
      { numRuns: 200 },
    );
  });

  test('is the beginning of a whole text', () => {
    fc.assert(
      fc.property(units, fc.nat({ max: 30 }), (text, max) => {
        const whole = text.toWellFormed();
        expect(whole.startsWith(cut(whole, max))).toBe(true);
        expect(whole.endsWith(cutStart(whole, max))).toBe(true);
      }),
      { numRuns: 200 },
    );
  });

  test('holds no half of an emoji at the limit', () => {
    expect(cut(`${'x'.repeat(199)}😀`, 200)).toBe('x'.repeat(199));
    expect(cut(`${'x'.repeat(198)}😀y`, 200)).toBe(`${'x'.repeat(198)}😀`);
    expect(cutStart('😀.pdf', 5)).toBe('.pdf');
  });
});

test('JSON of another system keeps its pairs, and has no NUL and no half of a pair', () => {
  expect(parseStorable('{"a":"\\ud83d\\ude00","b":["\\ud83d","\\u0000"],"c":1}')).toEqual({
    a: '😀',
    b: ['\ufffd', '\ufffd'],
    c: 1,
  });
});

/** Lists are cut at `max…` of their items, hashes and dates at a few characters: texts at the names and numbers of lengths. */
const cutsText =
  /\.(?:slice\(0, (?:[4-9]\d|\d_?\d{2,}|longest\w*|max(?:Error|Part|Name|Text|Length|Problem|ShownCharacters|KeptBytes)\b|bounds\.text)|substring\(|substr\()/;

test('the product cuts texts by one function', () => {
  const root = join(import.meta.dirname, '../../..');
  const cutting = globSync('{api,src,workers}/**/*.ts', { cwd: root }).flatMap((file) =>
    readFileSync(join(root, file), 'utf8')
      .split('\n')
      .filter((line) => cutsText.test(line) && !line.includes('Array.isArray(value)'))
      .map((line) => `${file}: ${line.trim()}`),
  );
  expect(cutting).toEqual([]);
});
