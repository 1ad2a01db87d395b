const everyMs = 200;
/** Share of the time: one export that takes half of it does not make a process busy. */
const busyFrom = 0.6;

/** Rest after a piece of what one organization may ask for again and again, as a multiple of its time. */
export const restTimes = { idle: 1, busy: 9 };

export function createBusyProbe(): () => boolean {
  let probedAt = performance.now();
  let last = performance.eventLoopUtilization();
  let isBusy = false;
  return () => {
    const now = performance.now();
    if (now - probedAt < everyMs) return isBusy;
    const current = performance.eventLoopUtilization();
    isBusy = performance.eventLoopUtilization(current, last).utilization > busyFrom;
    [probedAt, last] = [now, current];
    return isBusy;
  };
}
