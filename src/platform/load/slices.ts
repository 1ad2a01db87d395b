import { setImmediate as nextTurn } from 'node:timers/promises';

/** Short: a message needs a dozen turns of the event loop from its claim to its answer. */
const defaultMs = 3;

let last: Promise<void> = Promise.resolve();

/** Of all that wait for others one goes on in a turn of the loop: twenty at once would hold it twenty times as long. */
function turnOfOthers(): Promise<void> {
  last = last.then(() => nextTurn());
  return last;
}

/** Call it at each step. It gives a promise only when other work must have its turn, so that a short loop never waits. */
export function slices(ms = defaultMs): () => Promise<void> | undefined {
  let endsAt = performance.now() + ms;
  return () => {
    if (performance.now() < endsAt) return undefined;
    return turnOfOthers().then(() => {
      endsAt = performance.now() + ms;
    });
  };
}
