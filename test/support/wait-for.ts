import { setTimeout as sleep } from 'node:timers/promises';

/** A limit that only a fault reaches: how long a thing may take is not what a wait asserts, and a machine may do much else. */
export const maxWaitMs = 60_000;

/** Asks until the answer is neither undefined nor false; throws after `withinMs` with what was waited for. */
export async function waitFor<Value>(
  what: string,
  ask: () => Promise<Value | undefined | false> | Value | undefined | false,
  withinMs = maxWaitMs,
): Promise<Value> {
  const begin = Date.now();
  for (;;) {
    const answer = await ask();
    if (answer !== undefined && answer !== false) return answer;
    const waitedMs = Date.now() - begin;
    if (waitedMs > withinMs) throw new Error(`Waited ${withinMs} ms for ${what}`);
    // A question takes processor time from what it waits for: the longer the wait, the rarer.
    await sleep(Math.min(250, Math.max(10, waitedMs / 5)));
  }
}
