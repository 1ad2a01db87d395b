import { setTimeout as sleep } from 'node:timers/promises';

/** Asks until the answer is neither undefined nor false; throws after `withinMs` with what was waited for. */
export async function waitFor<Value>(
  what: string,
  ask: () => Promise<Value | undefined | false> | Value | undefined | false,
  withinMs = 5_000,
): Promise<Value> {
  const deadline = Date.now() + withinMs;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined && answer !== false) return answer;
    if (Date.now() > deadline) throw new Error(`Waited ${withinMs} ms for ${what}`);
    await sleep(10);
  }
}
