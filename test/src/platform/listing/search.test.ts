import { expect, test } from '@jest/globals';
import { wordsOf } from '../../../../src/platform/listing/search.ts';

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
