import { setTimeout as sleep } from 'node:timers/promises';

/** A limit that only a fault reaches: how long a thing may take is not what a wait asserts, and a machine may do much else. */
export const maxWaitMs = 60_000;

/** Asks until the answer is neither undefined nor false; throws after `withinMs` with what was waited for. */
export async function waitFor<Value>(
  what: string,
  ask: () => Promise<Value | undefined | false> | Value | undefined | false,
  withinMs = maxWaitMs,
): Promise<Value> {
  const deadline = Date.now() + withinMs;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined && answer !== false) return answer;
    if (Date.now() > deadline) throw new Error(`Waited ${withinMs} ms for ${what}`);
    await sleep(10);
  }
}
