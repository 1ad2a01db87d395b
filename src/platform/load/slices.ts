import { setImmediate as turnOfOthers } from 'node:timers/promises';

/** So long a loop may go on before other work of the process has its turn: a message needs a dozen turns from its claim to its answer. */
const usualMs = 3;

/**
 * For a loop over much data: asked at each step, it gives a promise to wait for when other work must have its turn, else nothing, so that
 * a short loop never waits.
 */
export function slices(ms = usualMs): () => Promise<void> | undefined {
  let endsAt = performance.now() + ms;
  return () => {
    if (performance.now() < endsAt) return undefined;
    return turnOfOthers().then(() => {
      endsAt = performance.now() + ms;
    });
  };
}
