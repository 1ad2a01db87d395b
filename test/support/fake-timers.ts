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
