import { describe, expect, test } from '@jest/globals';
import { faultIn } from '../../../src/platform/storable.ts';

const deep = (levels: number): unknown => (levels === 0 ? 1 : { a: deep(levels - 1) });

describe('what cannot be stored', () => {
  test.each([[1], [null], [undefined], ['text'], [[]], [{ a: ['b', { c: '😀' }], constructor: 1 }], [deep(65)]])(
    '%j can be',
    (value) => {
      expect(faultIn(value)).toBeUndefined();
    },
  );

  test.each([
    ['a text', 'a\u0000', '', 'string.nul'],
    ['a text in lists and objects', { a: [1, { b: ['x', '\ud83d'] }] }, 'a[1].b[1]', 'string.unicode'],
    ['a list at the top', [['\u0000']], '[0][0]', 'string.nul'],
    ['a name', { a: { 'b\u0000': 1 } }, 'a.b\u0000', 'string.nul'],
    ['a name of the prototype', JSON.parse('{"a":{"__proto__":{}}}'), 'a.__proto__', 'object.unknown'],
    ['what is nested too deep', deep(66), Array(65).fill('a').join('.'), 'object.depth'],
  ])('%s: its place and why', (_what, value, field, code) => {
    expect(faultIn(value)).toEqual({ field, code, message: expect.any(String) });
  });

  test('the first of several is told', () => {
    expect(faultIn({ a: 'x', b: '\u0000', c: '\u0000' })?.field).toBe('b');
  });
});
