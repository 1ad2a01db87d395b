import { expect, test } from '@jest/globals';
import { tracesOf } from '../../../src/contacts/erasure/traces.ts';

const identity = (type: 'phone' | 'email' | 'external_id', value: string) => ({ type, source: '', value });
const clean = tracesOf(
  [
    identity('phone', '+491575550012'),
    identity('email', 'ada.king@example.com'),
    identity('external_id', '7'),
    identity('external_id', 'A-1/b 2'),
  ],
  ['Ada Will King'],
);

test.each([
  ['+491575550012', '[removed]'],
  ['00491575550012', '00491575550012'],
  ['49 (157) 555-00.12!', '[removed]!'],
  ['4915755500123', '4915755500123'],
  ['Ada.King@Example.com', '[removed]'],
  ['ada will king and ADA WILL KING', '[removed] and [removed]'],
  ['Ada  Will\nKing', '[removed]'],
  ['Ask Ada, or King', 'Ask [removed], or [removed]'],
  ['she will be king; adapt the Kingdom', 'she will be king; adapt the Kingdom'],
  ['7 of them', '7 of them'],
  ['a-1/B 2', '[removed]'],
])('%j is %j afterwards', (text, expected) => {
  expect(clean(text)).toBe(expected);
});

test('in any JSON, in keys and numbers too', () => {
  const value = { 'ada.king@example.com': [491575550012, 7, null, true], deep: { words: 'Ada' } };
  expect(clean(value)).toEqual({ '[removed]': [null, 7, null, true], deep: { words: '[removed]' } });
});

test('a key is no word of a person who is called so', () => {
  const value = { title: 'Title, or title', text: { body: 'Ask Title' }, Title: 1, 'title@example.com': 2 };
  expect(tracesOf([identity('email', 'title@example.com')], ['Title'])(value)).toEqual({
    title: '[removed], or [removed]',
    text: { body: 'Ask [removed]' },
    '[removed]': 2,
  });
});

test('without addresses and names everything stays', () => {
  const value = { words: 'Ada' };
  expect(tracesOf([], [])(value)).toBe(value);
});

test('a name of signs is no pattern of its own', () => {
  expect(tracesOf([], ['(.*)'])('anything (.*)')).toBe('anything [removed]');
});
