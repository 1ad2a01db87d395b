import { Queue, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import type { Log } from '../../log.ts';
import { type AnyQueue, type AnyWorker, type Backend, keep, neverFailStalled, withinMs } from './backend.ts';

/** A write: a replica or a full server answers, but takes no job. */
const probeKey = 'kanal:probe';

/** Redis with AOF and noeviction. The prefix gives each queue its own hash slot, for a cluster later. */
export function redisBackend(url: string, log: Log): Backend {
  const connection = new Redis(url, {
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
  const prefix = (name: string) => `{${name}}`;
  return {
    name: 'redis',
    databaseConnections: 0,
    async probe() {
      if (connection.status !== 'ready') throw new Error('Redis cannot be reached');
      await withinMs(connection.set(probeKey, '1', 'PX', 60_000), 2_000, 'The queue');
    },
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
