import { createPostgresBackend, Queue, type QueueOptions, Worker, withBackend } from 'bullmq';
import pg from 'pg';

type Environment = Record<string, string | undefined>;
const onPostgres = withBackend(createPostgresBackend);
const defaultJobOptions = { removeOnComplete: { count: 1000 }, removeOnFail: { count: 1000 } };
const concurrency = 50;

const connectionOf = ({ QUEUE_URL, DATABASE_URL }: Environment) =>
  ({
    connection: QUEUE_URL
      ? { url: QUEUE_URL, maxRetriesPerRequest: null }
      : new pg.Pool({ connectionString: DATABASE_URL, max: 8, options: '-c search_path=bullmq' }),
  }) as unknown as QueueOptions;

/** BullMQ as its guide shows it, on the backend QUEUE_URL names. */
export function openQueue(name: string, env: Environment = process.env): Queue {
  const options = { ...connectionOf(env), defaultJobOptions };
  return env.QUEUE_URL ? new Queue(name, options) : (new onPostgres.Queue(name, options as never) as unknown as Queue);
}

export function openWorker(name: string, work: (data: { id: string }, name: string) => Promise<void>): unknown {
  const options = { ...connectionOf(process.env), concurrency };
  const { QUEUE_URL } = process.env;
  return QUEUE_URL
    ? new Worker(name, (job) => work(job.data, job.name), options)
    : new onPostgres.Worker(name, (job) => work(job.data, job.name), options as never);
}
