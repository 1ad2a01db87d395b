import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Redis } from 'ioredis';
import { track } from '../leftovers.ts';
import { maxWaitMs } from '../wait-for.ts';
import { ended, freePort } from './child.ts';

export type RedisServer = {
  port: number;
  /** Of its first process; another one after each start. */
  pid(): number;
  dir: string;
  url(database?: number): string;
  /** Starts it again on its port and directory; resolves when it answers. */
  start(): Promise<void>;
  /** SIGTERM: the snapshot is written when `args` ask for one. */
  stop(): Promise<void>;
  kill(signal: NodeJS.Signals): Promise<void>;
  freeze(): void;
  thaw(): void;
  /** Stops it and deletes its directory when it made one. */
  remove(): Promise<void>;
};

export const hasRedis = () =>
  promisify(execFile)('redis-server', ['--version']).then(
    () => true,
    () => false,
  );

/** A Redis of one's own: `noeviction`, nothing written to disk unless `args` (as `['--appendonly', 'yes']`) say otherwise. */
export async function createRedisServer(options: { dir?: string; port?: number; args?: string[] } = {}): Promise<RedisServer> {
  const dir = options.dir ?? (await mkdtemp(join(tmpdir(), 'kanal-redis-')));
  const port = options.port ?? (await freePort());
  const fixed = [
    '--port',
    `${port}`,
    '--bind',
    '127.0.0.1',
    '--dir',
    dir,
    '--maxmemory-policy',
    'noeviction',
    '--databases',
    '64',
  ];
  const args = [...fixed, '--appendonly', 'no', '--save', '', ...(options.args ?? [])];
  const url = (database = 0) => `redis://127.0.0.1:${port}/${database}`;
  let child: ChildProcess | undefined;

  async function answers() {
    const client = new Redis(url(), {
      lazyConnect: true,
      retryStrategy: () => null,
      connectTimeout: 5_000,
      commandTimeout: 5_000,
    });
    client.on('error', () => undefined);
    try {
      await client.connect();
      return (await client.ping()) === 'PONG';
    } catch {
      return false;
    } finally {
      client.disconnect();
    }
  }

  async function start() {
    child = track(spawn('redis-server', args, { stdio: 'ignore' }));
    const deadline = Date.now() + maxWaitMs;
    while (Date.now() < deadline && child.exitCode === null) {
      if (await answers()) return;
      await sleep(20);
    }
    throw new Error('Redis did not start');
  }

  async function kill(signal: NodeJS.Signals) {
    if (!child) return;
    child.kill('SIGCONT');
    child.kill(signal);
    await ended(child);
    child = undefined;
  }

  await start();
  return {
    port,
    pid: () => child!.pid!,
    dir,
    url,
    start,
    stop: () => kill('SIGTERM'),
    kill,
    freeze: () => void child?.kill('SIGSTOP'),
    thaw: () => void child?.kill('SIGCONT'),
    async remove() {
      await kill('SIGTERM');
      if (!options.dir) await rm(dir, { recursive: true, force: true });
    },
  };
}
