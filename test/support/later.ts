/** The steady clock of this process stands still until `goOn`, but for what the test moves it. Timers and the database have their own. */
export function stopClock() {
  const { now } = performance;
  let at = performance.now();
  performance.now = () => at;
  return {
    moveOn(ms: number) {
      at += ms;
    },
    goOn() {
      performance.now = now;
    },
  };
}

/** Moves this process's clock for as long as `work` takes: what is cached grows old without a wait. The database has its own clock. */
export async function later<Result>(ms: number, work: () => Promise<Result>): Promise<Result> {
  const steady = performance.now.bind(performance);
  performance.now = () => steady() + ms;
  try {
    return await work();
  } finally {
    performance.now = steady;
  }
}

/** Timers of exactly `ms` that are set from now on run when the test says so, and not before. */
export function holdTimers(ms: number) {
  const { setTimeout } = globalThis;
  const held: (() => void)[] = [];
  globalThis.setTimeout = ((run: () => void, after: number, ...rest: []) => {
    if (after !== ms) return setTimeout(run, after, ...rest);
    held.push(run);
    // Whoever set it may clear it.
    return setTimeout(() => undefined, 0);
  }) as typeof setTimeout;
  return {
    count: () => held.length,
    runAll() {
      for (const run of held.splice(0)) run();
    },
    goOn() {
      globalThis.setTimeout = setTimeout;
    },
  };
}
