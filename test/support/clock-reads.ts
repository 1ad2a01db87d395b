/**
 * Runs `work` while the steady clock stands still, and counts how often it is read. Code that may take long reads it before each step, to stop when its
 * time is over: the count is the number of steps, and no step is cut off because a machine is slow.
 */
export function clockReads(work: () => void): number {
  const { now } = performance;
  const at = performance.now();
  let reads = 0;
  performance.now = () => {
    reads += 1;
    return at;
  };
  try {
    work();
  } finally {
    performance.now = now;
  }
  return reads;
}

/** The least of three, in ms of this thread's processor time: what else the machine does to one of them does not count. For deep tests only. */
export function bestOf3(work: () => void, before: () => void = () => undefined): number {
  return Math.min(...[1, 2, 3].map(once));

  function once(): number {
    before();
    const began = process.threadCpuUsage();
    work();
    const { user, system } = process.threadCpuUsage(began);
    return (user + system) / 1_000;
  }
}
