import { Queue, Worker } from 'bullmq';
import type { Log } from '../../log.ts';
import { openRedis } from '../../redis.ts';
import { queueNames } from '../queue-names.ts';
import { type AnyQueue, type AnyWorker, type Backend, keep, neverFailStalled, withinMs } from './backend.ts';

/** In a cluster the keys of a queue have one hash slot: its scripts run on one node. */
const prefix = (name: string) => `{${name}}`;
/** Another key in a cluster: each queue is asked for where it lies. */
const probeKeys = (isCluster: boolean) => (isCluster ? queueNames.map((name) => `${prefix(name)}:probe`) : ['kanal:probe']);

/** Redis with AOF and noeviction, or a cluster of such. */
export function redisBackend(url: string, log: Log): Backend {
  const connection = openRedis(url, {
    maxRetriesPerRequest: null,
    retryStrategy: (times) => Math.min(times * 100, 1_000),
    connectionName: 'kanal',
    // After a failover the name may lead to the new master while the connection stays with the old one.
    reconnectOnError: (error) => error.message.startsWith('READONLY'),
  });
  let isAway = false;
  connection.on('error', (error) => {
    if (!isAway) log.warn({ err: error }, 'queue away');
    isAway = true;
  });
  connection.on('ready', () => {
    isAway = false;
  });
  return {
    name: 'redis',
    databaseConnections: 0,
    async probe() {
      if (connection.status !== 'ready') throw new Error('Redis cannot be reached');
      // A write: a replica or a full server answers, but takes no job.
      const writes = probeKeys(connection.isCluster).map((key) => connection.set(key, '1', 'PX', 60_000));
      await withinMs(Promise.all(writes), 2_000, 'The queue');
    },
    keeping: () => keep,
    makeQueue: (name) => new Queue(name, { connection, prefix: prefix(name), defaultJobOptions: keep }) as unknown as AnyQueue,
    makeWorker: (name, processor, options) =>
      new Worker(name, processor, { connection, prefix: prefix(name), ...options, ...neverFailStalled }) as unknown as AnyWorker,
    migrate: async () => {},
    async close() {
      if (connection.status === 'ready') await withinMs(connection.quit(), 1_000, 'Redis').catch(() => undefined);
      connection.disconnect();
    },
  };
}
