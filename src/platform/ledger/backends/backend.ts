import type { Job, Processor, Queue, Worker, WorkerOptions } from 'bullmq';
import type { QueueName } from '../job.ts';

/** The ids of a run, all that BullMQ carries. Its organization and pool decide whether a worker has a place for it. */
export type RunData = { id: string; run: number; organization_id?: string; pool?: string | null };
// biome-ignore lint/suspicious/noExplicitAny: the type of the connection differs by backend
export type AnyQueue = Queue<RunData, any, string, any, any, any, any, any>;
// biome-ignore lint/suspicious/noExplicitAny: as above
export type AnyWorker = Worker<RunData, any, string, any, any, any>;
export type RunJob = Job<RunData>;
export type RunProcessor = Processor<RunData, unknown>;
export type RunnerOptions = Pick<WorkerOptions, 'concurrency' | 'lockDuration' | 'stalledInterval' | 'runRetryDelay'>;

/** What carries BullMQ. Nothing outside this folder knows which it is. */
export type Backend = {
  name: 'postgres' | 'redis';
  /** Connections to the database it may open beside the process's own. */
  databaseConnections: number;
  /** Resolves when the server takes jobs; rejects when it does not answer or is read-only. Never hangs. */
  probe(): Promise<void>;
  makeQueue(name: QueueName): AnyQueue;
  makeWorker(name: QueueName, processor: RunProcessor, options: RunnerOptions): AnyWorker;
  /** Once, before a roll-out. */
  migrate(): Promise<void>;
  close(): Promise<void>;
};

/** Failed runs stay two weeks to be read in Bull Board, completed ones briefly; a retry needs neither. */
export const keep = { removeOnComplete: { count: 1000 }, removeOnFail: { age: 14 * 24 * 3600, count: 10_000 } };

/** A crash is counted by the ledger (rule 5); BullMQ must never fail a job on its own, which would swallow every later add of its id. */
export const neverFailStalled = { maxStalledCount: 1_000_000 };

export function withinMs<Result>(work: Promise<Result>, ms: number, what: string): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} did not answer within ${ms} ms`)), ms);
  });
  return Promise.race([work, limit]).finally(() => clearTimeout(timer));
}
