import { expect, test } from '@jest/globals';
import { phone, wordsOf } from '../../../../src/platform/listing/search.ts';
import { fc } from '../../../support/fast-check.ts';

test.each<[string, string[]]>([
  ['', []],
  ['   ', []],
  ['ada', ['ada']],
  ['ada  lovelace\tada', ['ada', 'lovelace']],
  ['Ada\u00a0Lovelace', ['Ada', 'Lovelace']],
  ['+1 (650) 555-12', ['165055512']],
  ['0650/55.51 2', ['065055512']],
  ['42', ['42']],
  ['+', ['+']],
  ['(-)', ['(-)']],
  ['agent 007', ['agent', '007']],
  ['1+1', ['1+1']],
])('%j', (search, words) => {
  expect(wordsOf(search)).toEqual(words);
});

test('a search of brackets and blanks is read in no time', () => {
  expect(wordsOf(`${'( '.repeat(99)}x`)).toEqual(['(', 'x']);
});

test('a phone is recognised as by the pattern that named its last digit, too', () => {
  const before = /^\+?[\d\s()./-]*\d[\d\s()./-]*$/;
  const marks = fc.string({ unit: fc.constantFrom('+', '1', '0', ' ', '(', '.', '-', 'x', '\n'), maxLength: 8 });
  fc.assert(fc.property(marks, (text) => expect(phone.test(text)).toBe(before.test(text))));
});
