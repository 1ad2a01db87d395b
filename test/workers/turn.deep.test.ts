import { expect, test } from '@jest/globals';
import { turnOf } from '../../workers/turn.ts';

test('a part that took long is followed by a rest of two seconds at most', async () => {
  const restsMs: number[] = [];
  const outside = async <Answer>(call: () => Promise<Answer>): Promise<Answer> => {
    const startedAt = performance.now();
    const answer = await call();
    restsMs.push(performance.now() - startedAt);
    return answer;
  };
  const mayGoOn = turnOf({ isStopping: () => false, outside, config: { bulkTimeShare: 0.001 } as never });
  for (const until = performance.now() + 20; performance.now() < until; );
  await mayGoOn();
  expect(restsMs).toHaveLength(1);
  // By its share it would be twenty.
  expect(restsMs[0]).toBeLessThan(10_000);
});
