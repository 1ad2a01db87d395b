import { setTimeout as pause } from 'node:timers/promises';

const usualMs = 20;

/** Asks until there is an answer. Throws what `signal` was aborted with, or that it took too long. */
export async function until<Answer>(
  what: string,
  signal: AbortSignal,
  ask: () => Promise<Answer | undefined>,
  { limitMs = 60_000, everyMs = usualMs } = {},
): Promise<Answer> {
  const limit = Date.now() + limitMs;
  for (;;) {
    signal.throwIfAborted();
    const answer = await ask();
    if (answer !== undefined) return answer;
    if (Date.now() > limit) throw new Error(`${what} has not happened within ${Math.round(limitMs / 1000)} s`);
    await pause(everyMs);
  }
}

/** Rejects with the signal's reason, once it comes. */
export const aborted = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
