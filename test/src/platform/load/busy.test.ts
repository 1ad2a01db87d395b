import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { createBusyProbe } from '../../../../src/platform/load/busy.ts';

/** Takes so much of the loop's time, in turns of 20 ms. */
async function spend(share: number, ms: number) {
  for (const until = performance.now() + ms; performance.now() < until; ) {
    const startedAt = performance.now();
    while (performance.now() - startedAt < 20 * share);
    await sleep(20 * (1 - share));
  }
}

test('a loop that works all the time is busy, one that waits is not', async () => {
  const isBusy = createBusyProbe();
  await spend(0.95, 400);
  expect(isBusy()).toBe(true);
  await sleep(400);
  expect(isBusy()).toBe(false);
});
