import { expect, test } from '@jest/globals';
import { turnOf } from '../../workers/turn.ts';

/** A turn that notes how long each of its rests took, and how long the work before it. */
function turn(bulkTimeShare: number, isStopping = () => false) {
  const rests: number[] = [];
  const outside = async <Answer>(call: () => Promise<Answer>): Promise<Answer> => {
    const startedAt = performance.now();
    const answer = await call();
    rests.push(performance.now() - startedAt);
    return answer;
  };
  return { rests, mayGoOn: turnOf({ isStopping, outside, config: { bulkTimeShare } as never }) };
}

function workFor(ms: number) {
  const startedAt = performance.now();
  while (performance.now() - startedAt < ms);
}

test('work is followed by a rest outside the place, as long as the share says', async () => {
  const { rests, mayGoOn } = turn(0.5);
  for (let part = 0; part < 3; part += 1) {
    workFor(20);
    expect(await mayGoOn()).toBe(true);
  }
  expect(rests).toHaveLength(3);
  // A timer may be a millisecond early.
  for (const ms of rests) expect(ms).toBeGreaterThanOrEqual(19);
});

test('a whole share is worked without a rest', async () => {
  const { rests, mayGoOn } = turn(1);
  workFor(20);
  expect(await mayGoOn()).toBe(true);
  expect(rests).toEqual([]);
});

test('a worker that stops is not kept by a rest', async () => {
  const { rests, mayGoOn } = turn(0.5, () => true);
  workFor(20);
  expect(await mayGoOn()).toBe(false);
  expect(rests).toEqual([]);
});

test('a part that took long is followed by a rest of two seconds at most', async () => {
  const { rests, mayGoOn } = turn(0.001);
  workFor(20);
  await mayGoOn();
  expect(rests).toHaveLength(1);
  // By its share it would be twenty.
  expect(rests[0]).toBeLessThan(10_000);
});

test('a wait that is asked for is a rest, and no work that a further rest must follow', async () => {
  const isFollowed: boolean[] = [];
  // One of them may meet a pause of the machine.
  for (let part = 0; part < 5; part += 1) {
    const { rests, mayGoOn } = turn(0.5);
    await mayGoOn(100);
    expect(rests[0]).toBeGreaterThanOrEqual(99);
    await mayGoOn();
    isFollowed.push((rests[1] ?? 0) >= 99);
  }
  expect(isFollowed).toContain(false);
});
