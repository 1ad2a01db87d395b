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
