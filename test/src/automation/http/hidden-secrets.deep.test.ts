import { expect, test } from '@jest/globals';
import { outputOf } from '../../../../src/automation/http/reply.ts';
import { processorMs } from '../../../support/processor-time.ts';

const many = Array.from({ length: 20 }, (_, n): [string, string] => [`A${n}`, `${'a'.repeat(3_000 + n)}b`]);
const longName = 'N'.repeat(62);

test.each<[string, string, [string, string][]]>([
  [
    'secrets that match the names of others',
    JSON.stringify('a'.repeat(60_000)),
    [
      [longName, 'a'],
      ['B', longName.slice(8)],
    ],
  ],
  ['20 secrets that almost match everywhere', 'a'.repeat(256_000), many],
  ['many small texts', JSON.stringify(Array.from({ length: 3_500 }, () => 'a')), many],
  ['many numbers', JSON.stringify(Array.from({ length: 40_000 }, (_, n) => n)), many],
  ['quotes', `["${'\\"'.repeat(120_000)}"]`, many],
  ['deep JSON', '['.repeat(128_000) + ']'.repeat(128_000), many],
])('an answer is stored within 50 ms of processor time: %s', async (_title, body, secrets) => {
  const reply = { status: 200, headers: {}, body: Buffer.from(body), isWhole: true };
  const times: number[] = [];
  for (let run = 0; run < 3; run += 1) times.push((await processorMs(() => outputOf(reply, new Map(secrets)))).own);
  expect(Math.min(...times)).toBeLessThan(50);
});
