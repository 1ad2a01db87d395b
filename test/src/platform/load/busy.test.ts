import { afterAll, afterEach, expect, jest, test } from '@jest/globals';
import { createBusyProbe, createCrowd } from '../../../../src/platform/load/busy.ts';
import { stopClock } from '../../../support/later.ts';

const clock = stopClock();
afterEach(() => void jest.restoreAllMocks());
afterAll(() => clock.goOn());

/** The event loop as a probe measures it: so much of each second it works. */
function loop() {
  let [active, idle] = [0, 0];
  jest.spyOn(performance, 'eventLoopUtilization').mockImplementation((current, last) => {
    const worked = current && last ? current.active - last.active : active;
    const waited = current && last ? current.idle - last.idle : idle;
    return { active: worked, idle: waited, utilization: worked / (worked + waited) };
  });
  return (ms: number, utilization: number) => {
    clock.moveOn(ms);
    active += ms * utilization;
    idle += ms * (1 - utilization);
  };
}

test('a loop that works all the time is busy, one that waits is not', () => {
  const pass = loop();
  const isBusy = createBusyProbe();
  pass(400, 1);
  expect(isBusy()).toBe(true);
  pass(400, 0.5);
  expect(isBusy()).toBe(false);
});

test('a burst shorter than the interval of the probe does not change its result', () => {
  const pass = loop();
  const isBusy = createBusyProbe();
  pass(199, 1);
  expect(isBusy()).toBe(false);
  pass(1, 1);
  expect(isBusy()).toBe(true);
  pass(199, 0);
  expect(isBusy()).toBe(true);
});

test('a process is crowded when it is busy and more than one key is there', () => {
  let isBusy = false;
  const crowd = createCrowd(() => isBusy);
  expect([crowd.isShared(), crowd.isCrowded()]).toEqual([false, false]);
  crowd.met('one');
  crowd.met('one');
  isBusy = true;
  expect([crowd.isShared(), crowd.isCrowded()]).toEqual([false, false]);
  crowd.met('other');
  expect([crowd.isShared(), crowd.isCrowded()]).toEqual([true, true]);
  isBusy = false;
  expect([crowd.isShared(), crowd.isCrowded()]).toEqual([true, false]);
});

test('a key that sends nothing for two seconds is no longer there', () => {
  const crowd = createCrowd(() => true);
  crowd.met('one');
  crowd.met('other');
  for (let second = 0; second < 2; second += 1) {
    clock.moveOn(1_000);
    crowd.met('one');
  }
  expect(crowd.isShared()).toBe(false);
});

test('two keys that are met by turns, each in a second of its own, are both there', () => {
  const crowd = createCrowd(() => true);
  crowd.met('one');
  clock.moveOn(1_050);
  crowd.met('other');
  expect(crowd.isShared()).toBe(true);
});
