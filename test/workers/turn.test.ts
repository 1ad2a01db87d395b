import { afterAll, expect, test } from '@jest/globals';
import { turnOf } from '../../workers/turn.ts';
import { stopClock } from '../support/later.ts';

const clock = stopClock();
afterAll(() => clock.goOn());

/** A turn that notes for each of its rests whether it was as long as `ms`. */
function turn(bulkTimeShare: number, ms: number, isStopping = () => false) {
  const rests: boolean[] = [];
  const outside = async <Answer>(call: () => Promise<Answer>): Promise<Answer> => {
    let hasPassed = false;
    // A timer of the same length that was set before it ends before it.
    setTimeout(() => {
      hasPassed = true;
    }, ms);
    const answer = await call();
    rests.push(hasPassed);
    return answer;
  };
  return { rests, mayGoOn: turnOf({ isStopping, outside, config: { bulkTimeShare } as never }) };
}

test('work is followed by a rest outside the place, as long as the share says', async () => {
  const { rests, mayGoOn } = turn(0.5, 20);
  for (let part = 0; part < 3; part += 1) {
    clock.moveOn(20);
    expect(await mayGoOn()).toBe(true);
  }
  expect(rests).toEqual([true, true, true]);
});

test('a whole share is worked without a rest', async () => {
  const { rests, mayGoOn } = turn(1, 20);
  clock.moveOn(20);
  expect(await mayGoOn()).toBe(true);
  expect(rests).toEqual([]);
});

test('a worker that stops is not kept by a rest', async () => {
  const { rests, mayGoOn } = turn(0.5, 20, () => true);
  clock.moveOn(20);
  expect(await mayGoOn()).toBe(false);
  expect(rests).toEqual([]);
});

test('a wait that is asked for is a rest, and no work that a further rest must follow', async () => {
  const { rests, mayGoOn } = turn(0.5, 100);
  await mayGoOn(100);
  expect(rests).toEqual([true]);
  await mayGoOn();
  expect(rests).toEqual([true]);
});

test('a turn is over after its time', async () => {
  const { mayGoOn } = turn(1, 20);
  clock.moveOn(59_000);
  expect(await mayGoOn()).toBe(true);
  clock.moveOn(1_000);
  expect(await mayGoOn()).toBe(false);
});
