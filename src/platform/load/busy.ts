const everyMs = 200;
/** Of the time. One export that has half of it does not make a process busy. */
const busyFrom = 0.6;

/** Whether this process' loop was busy of late: work that may as well come later leaves it to others then. */
export function createBusyLook(): () => boolean {
  let lookedAt = performance.now();
  let last = performance.eventLoopUtilization();
  let isBusy = false;
  return () => {
    const now = performance.now();
    if (now - lookedAt < everyMs) return isBusy;
    const current = performance.eventLoopUtilization();
    isBusy = performance.eventLoopUtilization(current, last).utilization > busyFrom;
    [lookedAt, last] = [now, current];
    return isBusy;
  };
}
