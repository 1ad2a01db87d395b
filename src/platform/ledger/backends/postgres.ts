import { createPostgresBackend, runMigrations, withBackend } from 'bullmq';
import pg from 'pg';
import type { Log } from '../../log.ts';
import { type AnyQueue, type AnyWorker, type Backend, keep, neverFailStalled, withinMs } from './backend.ts';

const { Queue, Worker } = withBackend(createPostgresBackend);

const schema = 'bullmq';

/** SQL: settings of server and session, the first true on a replica too; the probe writes nothing. */
const stateOfSession = `
  select current_setting('transaction_read_only')::boolean as is_read_only,
         current_setting('search_path') as search_path`;

/**
 * To take away what is beyond the kept count, BullMQ reads and sorts all that is kept: milliseconds of each end. So one run in `tidyEvery` does it
 * for all, and leaves room for the ends until the next one, and for those at the same moment.
 */
const tidyEvery = 5;
const room = tidyEvery + 4;
const tidying = {
  removeOnComplete: { count: keep.removeOnComplete.count - room },
  removeOnFail: { ...keep.removeOnFail, count: keep.removeOnFail.count - room },
};
const keepAll = { removeOnComplete: false, removeOnFail: false };

const probeMs = 2_000;

/** BullMQ in schema `bullmq`: one pool a process. Each worker keeps a connection to listen. */
export function postgresBackend(databaseUrl: string, workers: number, log: Log): Backend {
  const connect = (max: number, more: pg.PoolConfig = {}) => {
    const made = new pg.Pool({
      ...more,
      connectionString: databaseUrl,
      max,
      options: `-c search_path=${schema}`,
      keepAlive: true,
      connectionTimeoutMillis: 5_000,
      application_name: 'kanal-queue',
    });
    made.on('error', (error) => log.debug({ err: error }, 'queue connection lost'));
    // A checked-out client has no listener: without this one a restart of the server ends the process.
    made.on('connect', (client) => client.on('error', (error) => log.debug({ err: error }, 'queue connection lost')));
    return made;
  };
  const pool = connect(workers + 6);
  // A connection of its own: a probe that waits behind the work of a busy process takes the queue for lost, and what is handed over then waits for
  // a sweep. One that does not answer is given up, so that the next probe has a new one.
  const probes = connect(1, { query_timeout: probeMs + 1_000 });
  // Each queue and each worker listens for errors of the pool.
  pool.setMaxListeners(2 * workers + 4);
  let isPoolerTold = false;
  const addedTo = new Map<string, number>();
  return {
    name: 'postgres',
    databaseConnections: workers + 7,
    async probe() {
      const { rows } = await withinMs(probes.query(stateOfSession), probeMs, 'The queue');
      if (rows[0].is_read_only) throw new Error('The database is read-only');
      if (rows[0].search_path === schema) return;
      // A worker would ask for functions that are not there, as fast as it can.
      if (!isPoolerTold)
        log.warn('queue away: a pooler dropped the search path of its sessions; behind one the queue needs Redis');
      isPoolerTold = true;
      throw new Error('A pooler dropped the search path of the queue');
    },
    keeping(queue) {
      const added = (addedTo.get(queue) ?? 0) + 1;
      addedTo.set(queue, added);
      return added % tidyEvery === 0 ? tidying : keepAll;
    },
    makeQueue: (name) => new Queue(name, { connection: pool as never, defaultJobOptions: keep }) as unknown as AnyQueue,
    makeWorker: (name, processor, options) =>
      new Worker(name, processor, { connection: pool as never, ...options, ...neverFailStalled }) as unknown as AnyWorker,
    async migrate() {
      const client = new pg.Client({ connectionString: databaseUrl });
      client.on('error', (error) => log.debug({ err: error }, 'queue connection lost'));
      await client.connect();
      try {
        await runMigrations(client as never);
      } finally {
        await client.end();
      }
    },
    async close() {
      const ends = Promise.all([pool.end(), probes.end()]);
      await withinMs(ends, 3_000, 'Closing the queue').catch((error) => log.warn({ err: error }, 'queue connections left open'));
    },
  };
}
