import { EventEmitter } from 'node:events';
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { Redis } from 'ioredis';
import pg from 'pg';
import { type AnyQueue, type Backend, withinMs } from '../../../../src/platform/ledger/backends/backend.ts';
import { createBackend } from '../../../../src/platform/ledger/backends/index.ts';
import { queueNames } from '../../../../src/platform/ledger/queue-names.ts';
import { openQueues, type Queues } from '../../../../src/platform/ledger/queues.ts';
import { createTestDatabase } from '../../../support/database.ts';
import { collectingLog } from '../../../support/log.ts';
import { migrateQueue } from '../../../support/migrate.ts';
import { startPostgres, startRedis } from '../../../support/processes.ts';
import { freePort } from '../../../support/servers/child.ts';
import { hasRedis } from '../../../support/servers/redis.ts';
import { waitFor } from '../../../support/wait-for.ts';

const { log } = collectingLog();
const row = (run: number) => ({
  organization_id: '0190f3c0-0000-7000-8000-000000000001',
  pool: null,
  id: '01932d5f-3a0e-7cc4-8f4e-0242ac120002',
  run,
  queue: 'default',
  name: 'toys.play',
  delay_ms: 0,
});

describe('which backend', () => {
  test.each([
    ['unset: the database carries the queues', undefined, 'postgres'],
    ['a Redis', 'redis://127.0.0.1:1/0', 'redis'],
  ])('QUEUE_URL %s', async (_, queueUrl, name) => {
    const backend = createBackend({ queueUrl, databaseUrl: 'postgresql://kanal@127.0.0.1:1/kanal' }, log);
    expect(backend.name).toBe(name);
    await expect(backend.probe()).rejects.toThrow();
    await backend.close();
  });
});

describe('with a server made of promises', () => {
  let isUp = false;
  let isReady = true;
  let failures = 0;
  let closed = 0;
  let made: string[] = [];
  let queues: Queues;
  let deaths = 0;
  const added: unknown[] = [];
  const fakeQueue = (name: string) =>
    Object.assign(new EventEmitter(), {
      name,
      async waitUntilReady() {
        if (failures > 0) {
          failures -= 1;
          throw new Error('not ready');
        }
        if (!isReady) await new Promise(() => {});
      },
      add: async (...job: unknown[]) => void added.push(job),
      addBulk: async (jobs: unknown[]) => void added.push(...jobs),
      async close() {
        closed += 1;
      },
    }) as unknown as AnyQueue;
  const backend: Backend = {
    name: 'redis',
    databaseConnections: 0,
    probe: () => (isUp ? Promise.resolve() : Promise.reject(new Error('away'))),
    makeQueue(name) {
      made.push(name);
      return fakeQueue(name);
    },
    makeWorker: () => undefined as never,
    keeping: () => ({}),
    migrate: async () => {},
    close: async () => {},
  };
  beforeEach(() => {
    jest.useFakeTimers();
    isUp = false;
    isReady = true;
    failures = 0;
    closed = 0;
    made = [];
    deaths = 0;
    added.length = 0;
    queues = openQueues(backend, log, () => {
      deaths += 1;
    });
  });
  afterEach(async () => {
    await queues.close();
    jest.useRealTimers();
  });

  test('objects are made only once the server answers', async () => {
    await jest.advanceTimersByTimeAsync(10_000);
    expect(made).toEqual([]);
    expect(queues.isReady()).toBe(false);
    isUp = true;
    await jest.advanceTimersByTimeAsync(1_000);
    expect(made).toEqual([...queueNames]);
    expect(queues.isReady()).toBe(true);
    await jest.advanceTimersByTimeAsync(60_000);
    expect(made).toHaveLength(queueNames.length);
    expect(deaths).toBe(0);
  });

  test('add rejects at once while the queue is away, before it was there and after', async () => {
    await expect(queues.add([row(1)])).rejects.toThrow('away');
    isUp = true;
    await jest.advanceTimersByTimeAsync(1_000);
    await queues.add([row(1), row(2)]);
    expect(added).toHaveLength(2);
    isUp = false;
    await jest.advanceTimersByTimeAsync(1_000);
    await expect(queues.add([row(3)])).rejects.toThrow('away');
    isUp = true;
    await jest.advanceTimersByTimeAsync(1_000);
    await queues.add([row(3)]);
    expect(added).toHaveLength(3);
  });

  test('objects that are not ready 30 s after the server answers end the process', async () => {
    isReady = false;
    await jest.advanceTimersByTimeAsync(60_000);
    expect(deaths).toBe(0);
    isUp = true;
    await jest.advanceTimersByTimeAsync(29_000);
    expect(deaths).toBe(0);
    await jest.advanceTimersByTimeAsync(3_000);
    expect(deaths).toBeGreaterThan(0);
  });

  test('objects that fail to become ready are closed and made anew', async () => {
    failures = queueNames.length + 1;
    isUp = true;
    await jest.advanceTimersByTimeAsync(3_000);
    expect(queues.isReady()).toBe(true);
    expect([made.length, closed, failures, deaths]).toEqual([3 * queueNames.length, 2 * queueNames.length, 0, 0]);
    await queues.add([row(1)]);
    expect(added).toHaveLength(1);
  });

  test('a server that goes away again meanwhile is not held against them', async () => {
    isReady = false;
    isUp = true;
    await jest.advanceTimersByTimeAsync(20_000);
    isUp = false;
    await jest.advanceTimersByTimeAsync(2_000);
    isUp = true;
    await jest.advanceTimersByTimeAsync(20_000);
    expect(deaths).toBe(0);
  });

  test('closed before the server answered, nothing is made after', async () => {
    await queues.close();
    isUp = true;
    await jest.advanceTimersByTimeAsync(5_000);
    expect(made).toEqual([]);
  });

  test('closed while the first look is under way, nothing is made after', async () => {
    await queues.close();
    isUp = true;
    const closing = openQueues(backend, log, () => {});
    await closing.close();
    await jest.advanceTimersByTimeAsync(5_000);
    expect(made).toEqual([]);
  });
});

const servers = [
  {
    name: 'postgres',
    start: async () => {
      const server = await startPostgres({ isMigrated: true });
      await migrateQueue(server.url());
      const turnReadOnly = async (isReadOnly: boolean) => {
        const client = new pg.Client({ connectionString: server.url() });
        await client.connect();
        await client.query(`alter system set default_transaction_read_only = ${isReadOnly}`);
        await client.query('select pg_reload_conf()');
        await client.end();
      };
      return { ...server, turnReadOnly, backendUrl: { databaseUrl: server.url(), queueUrl: undefined } };
    },
  },
  ...((await hasRedis())
    ? [
        {
          name: 'redis',
          start: async () => {
            // Always: a slow disk lets Redis put off its file for two seconds, and a kill loses them.
            const args = ['--appendonly', 'yes', '--appendfsync', 'always'];
            const server = await startRedis({ port: await freePort(), args });
            const turnReadOnly = async (isReadOnly: boolean) => {
              const client = new Redis(server.url());
              // The replica of a master that is not there any more.
              await (isReadOnly ? client.replicaof('127.0.0.1', 1) : client.replicaof('NO', 'ONE'));
              client.disconnect();
            };
            return { ...server, turnReadOnly, backendUrl: { databaseUrl: '', queueUrl: server.url() } };
          },
        },
      ]
    : []),
];

test('a queue in PostgreSQL whose sessions lost their search path, as behind a pooler, counts as away', async () => {
  const { url, drop } = await createTestDatabase();
  const direct = createBackend({ databaseUrl: url, queueUrl: undefined }, log);
  const said = collectingLog();
  const pooled = createBackend({ databaseUrl: `${url}?options=-c%20search_path%3Dpublic`, queueUrl: undefined }, said.log);
  await direct.probe();
  for (let look = 0; look < 2; look += 1) await expect(pooled.probe()).rejects.toThrow('search path');
  expect(said.lines.map(({ msg }) => msg)).toEqual([expect.stringContaining('needs Redis')]);
  await Promise.all([direct.close(), pooled.close()]);
  await drop();
});

test('an answer that came while the process stood still is read before the wait for it is over', async () => {
  const { url, drop } = await createTestDatabase();
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const asked = withinMs(client.query('select 1 as one'), 50, 'It');
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_000);
  expect((await asked).rows).toEqual([{ one: 1 }]);
  await expect(withinMs(client.query('select pg_sleep(0.5)'), 50, 'It')).rejects.toThrow('It did not answer within 50 ms');
  await client.end();
  await drop();
});

describe.each(servers)('with a real $name', ({ start }) => {
  test('that is away at the start, comes, goes and comes back', async () => {
    const server = await start();
    await server.stop();
    const queues = openQueues(createBackend(server.backendUrl, log), log, () => {});
    // At once: before this process turns to anything else.
    const turn = new Promise((resolve) => setImmediate(() => resolve('waited')));
    const refused = queues.add([row(1)]).catch((error: Error) => error.message);
    expect(await Promise.race([refused, turn])).toMatch('away');
    await server.start();
    await waitFor('the queue', () => queues.isReady());
    await queues.add([row(1)]);
    expect(await queues.states([row(1), row(2)])).toEqual(['waiting', 'unknown']);

    await server.kill('SIGKILL');
    await waitFor('the queue to be missed', () => !queues.isReady());
    await expect(queues.add([row(2)])).rejects.toThrow('away');
    await server.start();
    await waitFor('the queue again', () => queues.isReady());
    await queues.add([row(2)]);
    expect(await queues.states([row(1), row(2)])).toEqual(['waiting', 'waiting']);
    await queues.close();
  });

  test('that turns read-only is missed though it answers, at once when a hand-over fails, and is found again', async () => {
    const server = await start();
    const queues = openQueues(createBackend(server.backendUrl, log), log, () => {});
    await waitFor('the queue', () => queues.isReady());
    await server.turnReadOnly(true);
    await waitFor('a hand-over that fails', () =>
      queues.add([row(3)]).then(
        () => false,
        () => true,
      ),
    );
    await waitFor('the queue to be missed', () => !queues.isReady());
    await expect(queues.add([row(1)])).rejects.toThrow('away');
    await server.turnReadOnly(false);
    await waitFor('the queue again', () => queues.isReady());
    await queues.add([row(1)]);
    expect(await queues.states([row(1)])).toEqual(['waiting']);
    await queues.close();
  });
});
