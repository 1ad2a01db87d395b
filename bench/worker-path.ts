import { setTimeout as sleep } from 'node:timers/promises';
import type { PoolRef } from '../src/platform/ledger/accept.ts';
import type { Meter } from './cost/meter.ts';
import { type HandOver, openHandOver } from './hand-over.ts';
import type { Path, Round } from './path.ts';
import type { Process } from './processes.ts';
import type { Side, SideName, Stage } from './stage.ts';

type Definition = Pick<Path, 'name' | 'what' | 'unit'> & {
  queue: string;
  /** Without one the rows are given to the queue as they are. */
  pool?(side: Side): PoolRef;
  prepare(side: Side, stage: Stage, count: number): Promise<string[]>;
  /** Throws unless each piece of work was done, once. */
  verify(side: Side, stage: Stage, prepared: string[]): Promise<void>;
};

/** The work of one worker process a side: `count` rows are there before the clock starts; it stops when the ledger holds none of them. */
export const workerPath = ({ queue, pool, prepare, verify, ...named }: Definition): Path => ({
  ...named,
  better: 'rate',
  async open(stage, { count, meter, queues: others }) {
    const open = new Map<SideName, { worker: Process; handOver: HandOver }>();
    for (const side of [stage.kanal, stage.floor])
      open.set(side.name, {
        worker: side.startWorker(others ? `${queue},${others}` : queue),
        handOver: await openHandOver(side, queue),
      });
    await sleep(2_000);

    async function round(side: Side, size: number, by?: Meter): Promise<Round> {
      const { worker, handOver } = open.get(side.name)!;
      const prepared = await prepare(side, stage, size);
      await worker.usage();
      await by?.begin(side);
      const startedAt = performance.now();
      await handOver.run(pool?.(side));
      for (;;) {
        const { rows } = await side.sql.query(
          `select exists (select 1 from jobs where queue = $1 and state in ('blocked', 'waiting', 'queued')) as is_open`,
          [queue],
        );
        if (!rows[0].is_open) break;
        if (performance.now() - startedAt > 120_000) throw new Error(`${named.name}, ${side.name}: not done after two minutes`);
        await sleep(50);
      }
      const rate = size / ((performance.now() - startedAt) / 1000);
      await by?.end();
      const usage = await worker.usage();
      await verify(side, stage, prepared);
      await side.sql.query('vacuum analyze jobs');
      return { rate, usage };
    }

    for (const side of [stage.kanal, stage.floor]) await round(side, Math.ceil(count / 5));
    await meter?.rest([stage.kanal, stage.floor].map((side) => [side, { worker: open.get(side.name)!.worker.pid }]));
    return {
      round: (side) => round(side, count, meter),
      async close() {
        for (const { worker, handOver } of open.values()) {
          await worker.stop();
          await handOver.close();
        }
      },
    };
  },
});
