import { setTimeout as pause } from 'node:timers/promises';

const defaultMs = 20;

/** Asks until there is an answer. Throws the reason of an aborted `signal`, or an error when it takes too long. */
export async function until<Answer>(
  what: string,
  signal: AbortSignal,
  ask: () => Promise<Answer | undefined>,
  { limitMs = 60_000, everyMs = defaultMs } = {},
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

/** Rejects with the signal's reason when it is aborted. */
export const aborted = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
