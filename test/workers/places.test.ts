import { afterEach, expect, jest, test } from '@jest/globals';
import { createPlaces as make, type Place, type Places } from '../../workers/places.ts';
import { turns } from '../support/turns.ts';

const isPlace = (given: Place | { putOffMs: number }): given is Place => 'leave' in given;
const entered = async (places: Places, pool: string, organizationId = `org of ${pool}`) => {
  const given = await places.enter({ pool, organization_id: organizationId });
  if (!isPlace(given)) throw new Error(`put off by ${given.putOffMs} ms`);
  return given;
};
/** Whether a promise is settled by now. */
const isSettled = (promise: Promise<unknown>) => Promise.race([promise.then(() => true), turns(20).then(() => false)]);
/** A call that nobody answers until the test does. */
const unanswered = () => {
  let answer: () => void = () => undefined;
  return { call: () => new Promise<void>((resolve) => (answer = resolve)), answer: () => answer() };
};

const made: Places[] = [];
function createPlaces(options: Parameters<typeof make>[0]): Places {
  const places = make(options);
  made.push(places);
  return places;
}

afterEach(() => {
  for (const places of made.splice(0)) places.close();
  jest.useRealTimers();
});

test('so many work at once, and the next is let in when one leaves', async () => {
  const places = createPlaces({ concurrency: 2, share: 10 });
  const first = await entered(places, 'a');
  await entered(places, 'b');
  const third = entered(places, 'c');
  expect(await isSettled(third)).toBe(false);
  first.leave();
  expect(await isSettled(third)).toBe(true);
});

test('one that waits for somebody’s answer leaves its place to another, and is back at once with the answer', async () => {
  const places = createPlaces({ concurrency: 1, share: 10 });
  const { call, answer } = unanswered();
  const asking = (await entered(places, 'a')).outside(call);
  await entered(places, 'b');
  const third = entered(places, 'c');
  answer();
  expect(await isSettled(asking)).toBe(true);
  expect(await isSettled(third)).toBe(false);
});

test('one that rests stands in line again', async () => {
  const places = createPlaces({ concurrency: 1, share: 10 });
  const resting = (await entered(places, 'a')).rest(1);
  const second = await entered(places, 'b');
  expect(await isSettled(resting)).toBe(false);
  second.leave();
  await resting;
});

test('a pool whose provider hangs has its share, and everybody else passes', async () => {
  const places = createPlaces({ concurrency: 2, share: 3 });
  for (let index = 0; index < 3; index += 1) void (await entered(places, 'hanging')).outside(unanswered().call);
  const next = places.enter({ pool: 'hanging', organization_id: 'another' });
  expect(await isSettled(next)).toBe(false);
  expect(await isSettled(entered(places, 'well'))).toBe(true);
});

test('so has an organization, however many pools it has', async () => {
  const places = createPlaces({ concurrency: 2, share: 3 });
  for (let index = 0; index < 3; index += 1) void (await entered(places, `endpoint ${index}`, 'one')).outside(unanswered().call);
  expect(await isSettled(places.enter({ pool: 'endpoint 4', organization_id: 'one' }))).toBe(false);
  expect(await isSettled(entered(places, 'an endpoint', 'another'))).toBe(true);
});

test('what leaves gives its parts back', async () => {
  const places = createPlaces({ concurrency: 5, share: 1 });
  const first = await entered(places, 'a', 'one');
  const second = entered(places, 'a', 'one');
  first.leave();
  (await second).leave();
  expect(await isSettled(entered(places, 'b', 'one'))).toBe(true);
});

test('in a line that stands still nobody waits long: they are put off, each for a time of its own, and a few stay', async () => {
  jest.useFakeTimers();
  const places = createPlaces({ concurrency: 5, share: 1 });
  void (await entered(places, 'a')).outside(unanswered().call);
  const waiting = [1, 2, 3].map(() => places.enter({ pool: 'a' }));
  await jest.advanceTimersByTimeAsync(2_000);
  const putOff = (await Promise.all(waiting)) as { putOffMs: number }[];
  expect(putOff[0]!.putOffMs).toBeGreaterThanOrEqual(1_000);
  expect(putOff.map(({ putOffMs }) => putOffMs - putOff[0]!.putOffMs)).toEqual([0, 10, 20]);
  const few = Array.from({ length: 5 }, () => places.enter({ pool: 'a' }));
  const [sixth] = await Promise.all([places.enter({ pool: 'a' })]);
  expect(isPlace(sixth)).toBe(false);
  await jest.advanceTimersByTimeAsync(2_000);
  await Promise.all(few);
});

test('of a slow line ten stay in a worker of any size, and in a small one no more than work at once', async () => {
  for (const [concurrency, stay] of [
    [50, 10],
    [3, 3],
  ] as const) {
    jest.useFakeTimers({ doNotFake: ['performance'] });
    const places = createPlaces({ concurrency, share: 1 });
    void (await entered(places, 'a')).outside(unanswered().call);
    const late = places.enter({ pool: 'a' });
    await jest.advanceTimersByTimeAsync(2_000);
    expect(isPlace(await late)).toBe(false);
    const waiting = Array.from({ length: stay }, () => places.enter({ pool: 'a' }));
    expect(isPlace(await places.enter({ pool: 'a' }))).toBe(false);
    places.close();
    await Promise.all(waiting);
  }
});

test('a line that moves again takes everybody', async () => {
  jest.useFakeTimers({ doNotFake: ['performance'] });
  const places = createPlaces({ concurrency: 50, share: 1 });
  let inside = await entered(places, 'a');
  const late = places.enter({ pool: 'a' });
  await jest.advanceTimersByTimeAsync(2_000);
  expect(isPlace(await late)).toBe(false);
  const oneAfterAnother = async () => {
    const next = entered(places, 'a');
    inside.leave();
    inside = await next;
  };
  for (let index = 0; index < 4; index += 1) await oneAfterAnother();
  const ten = Array.from({ length: 10 }, () => entered(places, 'a'));
  expect(isPlace(await places.enter({ pool: 'a' }))).toBe(false);
  // The fifth that was served at once.
  inside.leave();
  inside = await ten.shift()!;
  const many = [...ten, ...Array.from({ length: 30 }, () => entered(places, 'a'))];
  inside.leave();
  for (const one of many) (await one).leave();
});

test('whoever waits when the worker stops is put off at once', async () => {
  const places = createPlaces({ concurrency: 1, share: 1 });
  await entered(places, 'a');
  const waiting = places.enter({ pool: 'a' });
  places.close();
  expect(await waiting).toEqual({ putOffMs: 0 });
  expect(await places.enter({ pool: 'a' })).toEqual({ putOffMs: 0 });
});

test('of those that work at once one organization has three quarters at most', async () => {
  const places = createPlaces({ concurrency: 4, share: 10 });
  const own = [await entered(places, 'a', 'one'), await entered(places, 'b', 'one'), await entered(places, 'c', 'one')];
  const fourth = entered(places, 'd', 'one');
  expect(await isSettled(fourth)).toBe(false);
  expect(await isSettled(entered(places, 'e', 'another'))).toBe(true);
  own[0]!.leave();
  expect(await isSettled(fourth)).toBe(true);
});
