import { describe } from '@jest/globals';
import type { Backend } from '../../src/platform/ledger/backends/backend.ts';
import { postgresBackend } from '../../src/platform/ledger/backends/postgres.ts';
import { redisBackend } from '../../src/platform/ledger/backends/redis.ts';
import { queueNames } from '../../src/platform/ledger/queue-names.ts';
import { collectingLog } from './log.ts';
import { testRedisUrl } from './redis.ts';

/** A fresh backend for a test database; each call its own connections. The suite closes it. */
export type MakeBackend = {
  (databaseUrl: string): Backend;
  backendName: Backend['name'];
  /** What a process gets as QUEUE_URL to use the same queue. */
  queueUrl: string | undefined;
};

export const postgresMaker: MakeBackend = Object.assign(
  (databaseUrl: string) => postgresBackend(databaseUrl, queueNames.length, collectingLog().log),
  { backendName: 'postgres' as const, queueUrl: undefined },
);

function redisMaker(url: string): MakeBackend {
  const make = () => redisBackend(url, collectingLog().log);
  return Object.assign(make, { backendName: 'redis' as const, queueUrl: url });
}

export function presentBackends(): MakeBackend[] {
  const redis = testRedisUrl();
  return [postgresMaker, ...(redis ? [redisMaker(redis)] : [])];
}

/** Runs a suite on PostgreSQL and, when there is one, on Redis. */
export function describeEachBackend(name: string, suite: (makeBackend: MakeBackend) => void) {
  for (const make of presentBackends()) describe(`${name} [${make.backendName}]`, () => suite(make));
}
