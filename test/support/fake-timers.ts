import { jest } from '@jest/globals';

/** Timers, `performance.now()` and `process.hrtime` stand still until `pass`. The date, the database, sockets and `setImmediate` run as before. */
export function holdTime() {
  const { eventLoopUtilization } = performance;
  jest.useFakeTimers({ doNotFake: ['Date', 'nextTick', 'setImmediate', 'clearImmediate', 'queueMicrotask'] });
  performance.eventLoopUtilization = eventLoopUtilization.bind(performance);
  return {
    /** Runs the timers that are due in these ms, and what awaits them. */
    pass: (ms: number) => jest.advanceTimersByTimeAsync(ms),
    /** For synchronous work that takes so long. */
    spend: (ms: number) => void jest.advanceTimersByTime(ms),
    goOn: () => void jest.useRealTimers(),
  };
}

/** Timers of at least `fromMs` that are set from now on run only when the test runs them. Shorter ones run as before. */
export function holdLongTimers(fromMs: number) {
  const { setTimeout, clearTimeout } = globalThis;
  const held = new Map<unknown, { ms: number; run: () => void }>();
  globalThis.setTimeout = ((run: (...rest: unknown[]) => void, ms = 0, ...rest: unknown[]) => {
    if (ms < fromMs) return setTimeout(run, ms, ...rest);
    const timer = setTimeout(() => undefined, 0);
    held.set(timer, { ms, run: () => run(...rest) });
    return timer;
  }) as typeof setTimeout;
  globalThis.clearTimeout = ((timer: NodeJS.Timeout) => {
    held.delete(timer);
    clearTimeout(timer);
  }) as typeof clearTimeout;
  return {
    /** The delays of those that wait, in the order in which they were set. */
    delays: () => [...held.values()].map(({ ms }) => ms),
    /** Runs the one that was set first. */
    runFirst() {
      const [[timer, first]] = held as unknown as [[unknown, { run: () => void }]];
      held.delete(timer);
      first.run();
    },
    goOn: () => void Object.assign(globalThis, { setTimeout, clearTimeout }),
  };
}
