import type { Log } from '../log.ts';
import type { DispatchedRow } from './accept.ts';
import { type AnyQueue, type Backend, withinMs } from './backends/backend.ts';
import { type QueueName, queueNames } from './queue-names.ts';

export type RunState = 'unknown' | 'waiting' | 'active' | 'delayed' | 'completed' | 'failed';

export type Queues = {
  backend: Backend;
  isReady(): boolean;
  whenOpen(): Promise<void>;
  /** Idempotent by id. Rejects at once when the queue is away: the sweeper adds the rows later. */
  add(rows: DispatchedRow[]): Promise<void>;
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

/** A delayed run wakes early and waits in its worker: Redis is up to 105 ms late, and a pace reserves no time for late runs. */
export const leadMs = 120;

/** An object made while the server is away never recovers. Not ready 30 s after it is reachable: `onDead` ends the process. */
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

  /** What did not become ready is made anew at the next probe: a busy server that takes no connection for some seconds is no death. */
  async function startOver(error: unknown) {
    log.warn({ err: error }, 'queue objects did not become ready');
    const useless = [...queues.values()];
    queues.clear();
    await Promise.all(useless.map((queue) => withinMs(queue.close(), 2_000, 'Closing a queue').catch(() => undefined)));
    _opening = undefined;
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
      _opening ??= open().catch(startOver);
      if (!isOpen && Date.now() - reachableSince > deadAfterMs) onDead();
    } catch {
      isReachable = false;
      reachableSince = undefined;
    }
  }
  const firstProbes = setInterval(() => (isOpen ? clearInterval(firstProbes) : probe()), 100);
  const timer = setInterval(probe, probeEveryMs);
  probe();

  const toJob = (queue: string, row: DispatchedRow) => {
    // By the host's clock: BullMQ compares it with the clock of the process that takes the run, mostly this one.
    const timestamp = Date.now();
    const leftMs = row.delay_ms - (row.read_at ? timestamp - row.read_at : 0);
    return {
      name: row.name,
      data: { organization_id: row.organization_id, id: row.id, run: row.run, pool: row.pool },
      opts: { jobId: runId(row), timestamp, delay: Math.max(0, Math.round(leftMs - leadMs)), ...backend.keeping(queue) },
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
            const jobs = own.map((row) => toJob(name, row));
            if (jobs.length === 1) await queue.add(jobs[0]!.name, jobs[0]!.data, jobs[0]!.opts);
            else await queue.addBulk(jobs);
          } catch (error) {
            // Finds a server that answers but takes no job, such as a replica, before the next probe.
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
