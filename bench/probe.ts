import { monitorEventLoopDelay } from 'node:perf_hooks';

/** Loaded before a measured process's own code: tells its parent, when asked, what it costs. Started anew by each answer. */
export type Usage = { rssMb: number; heapMb: number; cpuMs: number; loopDelayP99Ms: number; loopDelayMaxMs: number };

const resolutionMs = 10;
const delay = monitorEventLoopDelay({ resolution: resolutionMs });
delay.enable();

process.on('message', (question) => {
  if (question !== 'usage') return;
  const { rss, heapUsed } = process.memoryUsage();
  const { user, system } = process.cpuUsage();
  const usage: Usage = {
    rssMb: rss / 2 ** 20,
    heapMb: heapUsed / 2 ** 20,
    cpuMs: (user + system) / 1000,
    // The monitor counts its own interval in. A stall is one value of it, however long: the p99 does not see one of seconds.
    loopDelayP99Ms: Math.max(0, delay.percentile(99) / 1e6 - resolutionMs),
    loopDelayMaxMs: Math.max(0, delay.max / 1e6 - resolutionMs),
  };
  delay.reset();
  process.send?.({ usage });
});
process.channel?.unref();
// A measurement that was cut off leaves nobody behind.
process.on('disconnect', () => process.exit(1));
