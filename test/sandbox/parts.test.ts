import { expect, test } from '@jest/globals';
import { Accepted } from '../../sandbox/accepted.ts';
import { Fifo } from '../../sandbox/fifo.ts';
import { RequestLog } from '../../sandbox/request-log.ts';
import { TokenBuckets } from '../../sandbox/token-bucket.ts';

test('the log keeps the newest entries, in order', () => {
  const log = new RequestLog(3);
  for (const path of ['/a', '/b', '/c', '/d', '/e']) {
    log.add({ at: '', method: 'GET', path, query: '', headers: {}, body: null, status: 200 });
  }
  expect(log.find({}).map(({ path }) => path)).toEqual(['/c', '/d', '/e']);
});

test('the fullest second is found wherever it lies', () => {
  const accepted = new Accepted();
  const message = { id: '', phone_number_id: '1', to: '', type: 'text', callback_data: null, at: '' };
  for (const at of [0, 900, 950, 1_000, 1_850, 1_899, 5_000]) accepted.add(message, at);
  expect(accepted.tallyOf('1')).toEqual({ accepted: 7, max_in_one_second: 5 });
  expect(accepted.tallyOf('2')).toEqual({ accepted: 0, max_in_one_second: 0 });
});

test('a bucket fills again, but never above one second', () => {
  const buckets = new TokenBuckets();
  const take = (now: number) => buckets.take('a', 2, now);
  expect([take(0), take(0), take(0), take(500), take(500)]).toEqual([true, true, false, true, false]);
  expect([take(60_000), take(60_000), take(60_000)]).toEqual([true, true, false]);
  expect(buckets.take('b', 2, 0)).toBe(true);
  expect(buckets.take('b', null, 0)).toBe(true);
});

test('a queue of many gives them back in order', () => {
  const queue = new Fifo<number>();
  for (let item = 0; item < 5_000; item += 1) queue.push(item);
  const items = Array.from({ length: 5_001 }, () => queue.shift());
  expect(items.slice(0, 5_000)).toEqual(Array.from({ length: 5_000 }, (_, item) => item));
  expect(items[5_000]).toBeUndefined();
  expect([queue.size, queue.peek()]).toEqual([0, undefined]);
});
