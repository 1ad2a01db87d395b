import type { Path } from '../path.ts';

/** From the start of the process to its first 200 on /readyz. */
export const startUp: Path = {
  name: 'start-up',
  what: 'web process started to ready',
  unit: 'ms',
  better: 'latency',
  async open() {
    return {
      async round(side) {
        const startedAt = performance.now();
        const { process } = await side.startWeb();
        const took = performance.now() - startedAt;
        const usage = await process.usage();
        await process.stop();
        return { rate: 1, p50: took, usage };
      },
      close: async () => undefined,
    };
  },
};
