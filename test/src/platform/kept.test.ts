import { expect, test } from '@jest/globals';
import { kept } from '../../../src/platform/kept.ts';

test('a result is derived once, and again after it made room', () => {
  const read: string[] = [];
  const length = kept((text) => read.push(text), 2);
  for (const text of ['a', 'b', 'a', 'c', 'b', 'a']) length(text);
  expect(read).toEqual(['a', 'b', 'c', 'a']);
});

test('an error is not kept', () => {
  let calls = 0;
  const broken = kept(() => {
    calls += 1;
    throw new TypeError('no key');
  });
  for (let n = 0; n < 2; n += 1) expect(() => broken('a')).toThrow('no key');
  expect(calls).toBe(2);
});
