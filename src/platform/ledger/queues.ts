import type { Log } from '../log.ts';
import type { DispatchedRow } from './accept.ts';
import { type AnyQueue, type Backend, withinMs } from './backends/backend.ts';
import { type QueueName, queueNames } from './job.ts';

export type RunState = 'unknown' | 'waiting' | 'active' | 'delayed' | 'completed' | 'failed';

export type Queues = {
  backend: Backend;
  /** True once the queue objects exist and the server answered when last asked. */
  isReady(): boolean;
  whenOpen(): Promise<void>;
  /** Adds runs to BullMQ; an id it has already stays as it is. Rejects at once when the queue is away: the sweeper does it later. */
  add(rows: DispatchedRow[]): Promise<void>;
  /** Starts delayed runs at once; a run that is no longer delayed stays as it is. */
  wake(rows: { id: string; run: number; queue: string }[]): Promise<void>;
  states(rows: { id: string; run: number; queue: string }[]): Promise<RunState[]>;
  queue(name: string): AnyQueue | undefined;
  all(): AnyQueue[];
  close(): Promise<void>;
};

export const runId = ({ id, run }: { id: string; run: number }) => `${id}.${run}`;

const probeEveryMs = 1_000;
const deadAfterMs = 30_000;
const maxUnanswered = 2_000;

/**
 * A delayed run wakes this much early and waits the rest in its worker: Redis wakes it up to 105 ms late, and a pool's pace reserves no
 * time for a late run.
 */
export const leadMs = 120;

/**
 * The queue objects are made only once the server answers: one made while it is away never recovers. Objects that are still not ready
 * 30 s after the server is reachable end the process through `onDead`, so that its supervisor starts a new one.
 */
export function openQueues(backend: Backend, log: Log, onDead: () => void): Queues {
  const queues = new Map<string, AnyQueue>();
  let isReachable = false;
  let isOpen = false;
  let isClosed = false;
  let unanswered = 0;
  let reachableSince: number | undefined;
  let announceOpen: () => void = () => {};
  const opened = new Promise<void>((resolve) => {
    announceOpen = resolve;
  });

  async function open() {
    for (const name of queueNames) {
      if (queues.has(name)) continue;
      const queue = backend.makeQueue(name);
      queue.on('error', (error: Error) => log.debug({ err: error, queue: name }, 'queue error'));
      queues.set(name, queue);
    }
    await Promise.all([...queues.values()].map((queue) => queue.waitUntilReady()));
    isOpen = true;
    announceOpen();
  }

  let _opening: Promise<void> | undefined;
  let isProbing = false;
  function probe() {
    if (isProbing) return;
    isProbing = true;
    void probeNow().finally(() => {
      isProbing = false;
    });
  }
  async function probeNow() {
    try {
      await backend.probe();
      // Closed meanwhile: objects made now would never be closed.
      if (isClosed) return;
      isReachable = true;
      reachableSince ??= Date.now();
      _opening ??= open().catch((error) => log.warn({ err: error }, 'queue objects did not become ready'));
      if (!isOpen && Date.now() - reachableSince > deadAfterMs) onDead();
    } catch {
      isReachable = false;
      reachableSince = undefined;
    }
  }
  const firstProbes = setInterval(() => (isOpen ? clearInterval(firstProbes) : probe()), 100);
  const timer = setInterval(probe, probeEveryMs);
  probe();

  const toJob = (row: DispatchedRow) => {
    // `delay_ms` is by the database's clock. The timestamp is by the host's: BullMQ compares it with the clock of the process that takes
    // the run, which is most often this one.
    const timestamp = Date.now();
    const leftMs = row.delay_ms - (row.read_at ? timestamp - row.read_at : 0);
    return {
      name: row.name,
      data: { id: row.id, run: row.run, organization_id: row.organization_id, pool: row.pool },
      opts: { jobId: runId(row), timestamp, delay: Math.max(0, Math.round(leftMs - leadMs)) },
    };
  };

  return {
    backend,
    isReady: () => isOpen && isReachable,
    whenOpen: () => opened,
    async add(rows) {
      if (!isOpen || !isReachable || unanswered > maxUnanswered) throw new Error('The queue is away');
      const byQueue = Map.groupBy(rows, (row) => row.queue);
      unanswered += byQueue.size;
      await Promise.all(
        [...byQueue].map(async ([name, own]) => {
          try {
            const queue = queues.get(name);
            if (!queue) throw new Error(`No queue is called ${name}`);
            const jobs = own.map(toJob);
            if (jobs.length === 1) await queue.add(jobs[0]!.name, jobs[0]!.data, jobs[0]!.opts);
            else await queue.addBulk(jobs);
          } catch (error) {
            // A server that answers and takes nothing, as a replica does, is found before the next probe is due.
            probe();
            throw error;
          } finally {
            unanswered -= 1;
          }
        }),
      );
    },
    async wake(rows) {
      const wake = rows.map(async (row) => (await queues.get(row.queue)?.getJob(runId(row)))?.promote());
      await withinMs(Promise.allSettled(wake), 10_000, 'The queue');
    },
    async states(rows) {
      const ask = rows.map(async (row) => ((await queues.get(row.queue)?.getJobState(runId(row))) ?? 'unknown') as RunState);
      return withinMs(Promise.all(ask), 10_000, 'The queue');
    },
    queue: (name) => queues.get(name as QueueName),
    all: () => [...queues.values()],
    async close() {
      if (isClosed) return;
      isClosed = true;
      clearInterval(timer);
      clearInterval(firstProbes);
      await Promise.all(
        [...queues.values()].map((queue) => withinMs(queue.close(), 2_000, 'Closing a queue').catch(() => undefined)),
      );
      await backend.close();
    },
  };
}
