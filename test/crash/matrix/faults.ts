import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import pg from 'pg';
import type { Stack } from '../stack.ts';

const kinds = ['worker', 'workers', 'queue', 'database'] as const;
export type FaultKind = (typeof kinds)[number];
export type Fault = { kind: FaultKind; from: number; until: number };

const some = (random: () => number, maxMs: number) => sleep(random() * maxMs);

/** A fault strikes while there is work: after so many arrivals since the last one, unless nothing is left to come. */
const arrivalsBetween = 60;
const maxWaitMs = 20_000;

/** Each kind of fault in a random order, again and again, at random moments. Tells when each was. `arrived`: how much so far. */
export async function disturb(
  stack: Stack,
  arrived: () => number,
  { random, count, maxPauseMs }: { random: () => number; count: number; maxPauseMs: number },
): Promise<Fault[]> {
  const faults: Fault[] = [];
  let left: Fault['kind'][] = [];
  while (faults.length < count) {
    // Kills come twice as often.
    if (left.length === 0) left = [...kinds, 'worker', 'workers'];
    const [kind] = left.splice(Math.floor(random() * left.length), 1);
    const enough = arrived() + arrivalsBetween;
    for (const until = Date.now() + maxWaitMs; arrived() < enough && Date.now() < until; ) await sleep(10);
    await some(random, maxPauseMs);
    const from = Date.now();
    await faultOf[kind!](stack, random);
    faults.push({ kind: kind!, from, until: Date.now() });
  }
  return faults;
}

const faultOf: Record<Fault['kind'], (stack: Stack, random: () => number) => Promise<void>> = {
  worker: (stack, random) => stack.killWorker(Math.floor(random() * 100)),
  workers: (stack) => stack.killWorkers(),
  queue: (stack) => (stack.redis ? flushRedis(stack.redis.url()) : emptyQueue(stack.postgres.url())),
  async database({ postgres }, random) {
    await postgres.kill('SIGQUIT');
    await some(random, 1_000);
    await postgres.start();
  },
};

export const strike = (stack: Stack, kind: FaultKind, random: () => number) => faultOf[kind](stack, random);

async function flushRedis(url: string) {
  const redis = new Redis(url);
  await redis.flushall();
  redis.disconnect();
}

/** BullMQ's tables, but for its migrations: as a flush, with workers at work on them. */
async function emptyQueue(connectionString: string) {
  for (;;) {
    const client = new pg.Client({ connectionString });
    client.on('error', () => undefined);
    try {
      await client.connect();
      await client.query(`set lock_timeout = '2s'`);
      const { rows } = await client.query(
        `select string_agg(format('%I.%I', schemaname, tablename), ', ') as tables
           from pg_tables
          where schemaname = 'bullmq' and tablename <> 'migration'`,
      );
      return void (await client.query(`truncate ${rows[0].tables}`));
    } catch (error) {
      // Who waits for each other is ended by PostgreSQL, workers or this one.
      if (!['40P01', '55P03'].includes((error as { code?: string }).code ?? '')) throw error;
    } finally {
      await client.end().catch(() => undefined);
    }
  }
}
