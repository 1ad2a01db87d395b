import { setTimeout as sleep } from 'node:timers/promises';
import { createBusyProbe, restTimes } from './busy.ts';

/** Short: a message needs a dozen turns of the event loop from its claim to its answer. */
const defaultMs = 3;

const waiting: (() => void)[] = [];
let isAsked = false;

/** All that wait for others share a turn of the loop: twenty long ones that go on at once would hold it twenty times as long. */
const turnOfOthers = (): Promise<void> =>
  new Promise((resolve) => {
    waiting.push(resolve);
    ask();
  });

function ask() {
  if (isAsked) return;
  isAsked = true;
  setImmediate(letGo);
}

/** One after the other, until they have worked for as long as one slice: what waited for the database alone, and is short, passes at once. */
async function letGo() {
  const endsAt = performance.now() + defaultMs;
  do {
    waiting.shift()!();
    // Runs when all that it went on with has run.
    await new Promise<void>((resolve) => process.nextTick(resolve));
  } while (waiting.length > 0 && performance.now() < endsAt);
  isAsked = false;
  if (waiting.length > 0) ask();
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

let isBusy: (() => boolean) | undefined;

/**
 * For what one organization may ask for again and again: it takes half of the time of an idle process, and a tenth of a busy one. Only for work that
 * waits for nothing else in between: such a wait would count as work, and be rested from.
 */
export function restingSlices(ms = defaultMs): () => Promise<void> | undefined {
  isBusy ??= createBusyProbe();
  const probe = isBusy;
  let beganAt = performance.now();
  return () => {
    const tookMs = performance.now() - beganAt;
    if (tookMs < ms) return undefined;
    return sleep(tookMs * (probe() ? restTimes.busy : restTimes.idle)).then(() => {
      beganAt = performance.now();
    });
  };
}
