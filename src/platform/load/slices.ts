import { setImmediate as turnOfOthers } from 'node:timers/promises';

/** How long a loop may run before other work of the process has its turn: a message needs a dozen turns from its claim to its answer. */
const defaultMs = 3;

/**
 * For a loop over much data. Called at each step, it gives a promise to await when other work must have its turn, else nothing, so that a
 * short loop never waits.
 */
export function slices(ms = defaultMs): () => Promise<void> | undefined {
  let endsAt = performance.now() + ms;
  return () => {
    if (performance.now() < endsAt) return undefined;
    return turnOfOthers().then(() => {
      endsAt = performance.now() + ms;
    });
  };
}
