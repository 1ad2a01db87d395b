import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { createBusyProbe, createCrowd } from '../../../../src/platform/load/busy.ts';
import { waitFor } from '../../../support/wait-for.ts';

/** Takes the loop's time, in turns of 20 ms, and never lets it wait: how long it would, a busy machine says. */
async function spend(ms: number) {
  for (const until = performance.now() + ms; performance.now() < until; await turn()) {
    const startedAt = performance.now();
    while (performance.now() - startedAt < 20);
  }
}

test('a loop that works all the time is busy, one that waits is not', async () => {
  const isBusy = createBusyProbe();
  await spend(400);
  expect(isBusy()).toBe(true);
  // Whatever else this process does comes to an end.
  await waitFor('the loop to wait', async () => {
    await sleep(400);
    return !isBusy();
  });
});

test('a process is crowded when it is busy and more than one key is there', async () => {
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
  await waitFor('the other to be gone', async () => {
    crowd.met('one');
    await sleep(20);
    return !crowd.isShared();
  });
});

test('two keys that are met by turns, each in a second of its own, are both there', async () => {
  const crowd = createCrowd(() => true);
  crowd.met('one');
  await sleep(1_050);
  crowd.met('other');
  expect(crowd.isShared()).toBe(true);
});
