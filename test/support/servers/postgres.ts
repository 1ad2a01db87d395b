import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { chmod, chown, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { serverAccount } from '../../../cli/start/database/account.ts';
import { serverPrograms } from '../../../cli/start/database/programs.ts';
import { track } from '../leftovers.ts';
import { maxWaitMs } from '../wait-for.ts';
import { ended, freePort } from './child.ts';
import { signalFamily } from './family.ts';

const run = promisify(execFile);
/** With owners and modes: PostgreSQL asks for both. */
const copyFolder = (from: string, to: string) => run('cp', ['-a', from, to]);

export type PostgresServer = {
  port: number;
  /** Of its first process; another one after each start. */
  pid(): number;
  /** An address of a database on it; without a name the one called postgres. */
  url(database?: string): string;
  /** Starts it again where it was; resolves when it answers. */
  start(): Promise<void>;
  /** A fast stop: connections are ended (57P01), the data is written. */
  stop(): Promise<void>;
  /** The signal goes to every process of the server at once; resolves when it has ended. SIGKILL is the power cut. */
  kill(signal: NodeJS.Signals): Promise<void>;
  /** Every process stands still: connections stay open and nothing answers. */
  freeze(): Promise<void>;
  thaw(): Promise<void>;
  /** A copy of its data, from which other servers start. It is deleted with the server, which is away while it is copied. */
  copy(): Promise<string>;
  /** Stops it and deletes its data. */
  remove(): Promise<void>;
};

/**
 * A PostgreSQL server of one's own in a temporary directory. Without fsync; `isDurable` keeps what was committed when it is killed.
 * It starts empty or with what `from` holds, another one's `copy()`. `more` are settings of postgresql.conf, which win.
 */
export async function createPostgresServer({
  isDurable = false,
  from,
  more = {},
}: {
  isDurable?: boolean;
  from?: string;
  more?: Record<string, string>;
} = {}): Promise<PostgresServer> {
  // PostgreSQL refuses to run as root, who runs it as another user; a checkout that only root may enter is no place for its programs.
  const account = serverAccount();
  const home = await mkdtemp(join(tmpdir(), 'kanal-pg-'));
  const data = join(home, 'data');
  await chmod(home, 0o700);
  if (account) await chown(home, account.uid, account.gid);
  const programs = serverPrograms(home, account);
  const env = { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' };
  const init = ['-D', data, '-U', 'kanal', '--auth=trust', '--encoding=UTF8', '--locale=C', '--no-sync', '--no-instructions'];
  if (from) await copyFolder(from, data);
  else await run(programs.initdb, init, { ...account, cwd: home, env });
  const port = await freePort();
  const settings = {
    port,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: 300,
    shared_buffers: '128MB',
    fsync: 'off',
    full_page_writes: 'off',
    synchronous_commit: isDurable ? 'on' : 'off',
    max_wal_size: '4GB',
    log_min_messages: 'fatal',
    ...more,
  };
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const url = (database = 'postgres') => `postgresql://kanal@127.0.0.1:${port}/${database}`;
  let child: ChildProcess | undefined;

  async function answers() {
    const client = new pg.Client({ connectionString: url(), connectionTimeoutMillis: 5_000 });
    client.on('error', () => undefined);
    try {
      await client.connect();
      await client.query('select 1');
      return true;
    } catch {
      return false;
    } finally {
      await client.end().catch(() => undefined);
    }
  }

  async function start() {
    const deadline = Date.now() + maxWaitMs;
    while (Date.now() < deadline) {
      // A server that was killed may hold its shared memory a moment longer: the next one ends at once and is started again.
      if (!child || child.exitCode !== null || child.signalCode !== null)
        child = track(spawn(programs.postgres, ['-D', data, ...flags], { ...account, cwd: home, env, stdio: 'ignore' }));
      if (await answers()) return;
      await sleep(20);
    }
    throw new Error('PostgreSQL did not start');
  }

  async function stop() {
    if (!child) return;
    child.kill('SIGINT');
    await ended(child);
    child = undefined;
  }

  await start();
  return {
    port,
    pid: () => child!.pid!,
    url,
    start,
    stop,
    async kill(signal) {
      if (!child) return;
      await signalFamily(child.pid!, signal);
      await ended(child);
      child = undefined;
    },
    freeze: () => signalFamily(child!.pid!, 'SIGSTOP'),
    thaw: () => signalFamily(child!.pid!, 'SIGCONT'),
    async copy() {
      const copied = join(home, 'copy');
      await stop();
      await copyFolder(data, copied);
      await start();
      return copied;
    },
    async remove() {
      if (child) await signalFamily(child.pid!, 'SIGCONT');
      await stop();
      await rm(home, { recursive: true, force: true });
    },
  };
}
