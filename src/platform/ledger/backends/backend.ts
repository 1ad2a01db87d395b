import type { Job, JobsOptions, Processor, Queue, Worker, WorkerOptions } from 'bullmq';
import type { QueueName } from '../queue-names.ts';

/** All that BullMQ carries. Organization and pool also decide whether a worker has a place for the run. */
export type RunData = { organization_id: string; id: string; run: number; pool?: string | null };
// biome-ignore lint/suspicious/noExplicitAny: the type of the connection differs by backend
export type AnyQueue = Queue<RunData, any, string, any, any, any, any, any>;
// biome-ignore lint/suspicious/noExplicitAny: as above
export type AnyWorker = Worker<RunData, any, string, any, any, any>;
export type RunJob = Job<RunData>;
export type RunProcessor = Processor<RunData, unknown>;
export type RunnerOptions = Pick<WorkerOptions, 'concurrency' | 'lockDuration' | 'stalledInterval' | 'runRetryDelay'>;

type KeepJobsOptions = Pick<JobsOptions, 'removeOnComplete' | 'removeOnFail'>;

/** Nothing outside this folder knows which backend it is. */
export type Backend = {
  name: 'postgres' | 'redis';
  databaseConnections: number;
  /** Rejects when the server does not answer or is read-only; never hangs. */
  probe(): Promise<void>;
  makeQueue(name: QueueName): AnyQueue;
  /** Which ended runs of its queue a run takes away with its own end. */
  keeping(queue: string): KeepJobsOptions;
  makeWorker(name: QueueName, processor: RunProcessor, options: RunnerOptions): AnyWorker;
  migrate(): Promise<void>;
  close(): Promise<void>;
};

/** Failed runs stay two weeks for Bull Board. A retry needs no kept run. */
export const keep = { removeOnComplete: { count: 1000 }, removeOnFail: { age: 14 * 24 * 3600, count: 10_000 } };

/** The ledger counts crashes (rule 5). A job that BullMQ failed itself would swallow every later add of its id. */
export const neverFailStalled = { maxStalledCount: 1_000_000 };

/** Where the process itself stood still for so long, an answer may be there unread: it counts, so it is read first. */
export function withinMs<Result>(work: Promise<Result>, ms: number, what: string): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => setImmediate(() => reject(new Error(`${what} did not answer within ${ms} ms`))), ms);
  });
  return Promise.race([work, limit]).finally(() => clearTimeout(timer));
}
