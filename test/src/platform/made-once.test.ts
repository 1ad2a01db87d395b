import { expect, test } from '@jest/globals';
import { madeOnce } from '../../../src/platform/made-once.ts';

test('it is made by the first call, once for all', async () => {
  let times = 0;
  const { get, made } = madeOnce(async () => {
    times += 1;
    return times;
  });
  expect(made()).toBeUndefined();
  expect(await Promise.all([get(), get()])).toEqual([1, 1]);
  expect(await made()).toBe(1);
});

test('one that failed, as for want of file descriptors, is made again by the next call', async () => {
  const outcomes = [() => Promise.reject(new Error('no')), async () => 'made'];
  const { get } = madeOnce(() => outcomes.shift()!());
  await expect(get()).rejects.toThrow('no');
  expect(await get()).toBe('made');
});
