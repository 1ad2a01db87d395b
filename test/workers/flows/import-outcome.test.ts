import { expect, test } from '@jest/globals';
import { unfinished } from '../../../workers/flows/import-outcome.ts';

const done = { imported: 3, listed: 3, isCut: false, isFull: false, taken: [], unstorable: [] };

test('all are here: no reason', () => {
  expect(unfinished(done)).toBeUndefined();
});

test.each([
  ['no room', { isFull: true, isCut: true }, 'limit_reached', 'The organization has as many flows'],
  ['a list that goes on', { isCut: true, listed: 10_000 }, 'limit_reached', 'after 100 pages, 10000 flows, its list goes on'],
  ['a document that cannot be kept', { unstorable: ['Bad'], taken: ['Taken'] }, 'provider_refused', 'Bad'],
  ['a name that is taken', { taken: ['Taken'] }, 'conflict', 'Taken'],
])('%s is said', (_what, counts, code, words) => {
  const reason = unfinished({ ...done, ...counts });
  expect(reason?.code).toBe(code);
  expect(reason?.message).toContain(words);
});

test('of many names five are said', () => {
  const taken = ['One', 'Two', 'Three', 'Four', 'Five', 'Six'];
  expect(unfinished({ ...done, taken })?.message).toContain('but 6');
  expect(unfinished({ ...done, taken })?.message).not.toContain('Six');
});
