import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { serverAccount } from '../../../cli/start/database/account.ts';
import { track } from '../leftovers.ts';
import { maxWaitMs } from '../wait-for.ts';
import { ended, freePort } from './child.ts';

export type PgBouncer = {
  /** By the name of an entry of docs/pgbouncer.ini. */
  url(entry: string): string;
  /** Of clients to the server; by the name of an entry. */
  serverConnections(entry: string): Promise<number>;
  remove(): Promise<void>;
};

/** Of the `pgbouncer` on the path, when it knows named prepared statements. */
export async function pgBouncerVersion(): Promise<string | undefined> {
  const { stdout } = await promisify(execFile)('pgbouncer', ['--version']).catch(() => ({ stdout: '' }));
  const [, major, minor] = /^PgBouncer (\d+)\.(\d+)/.exec(stdout) ?? [];
  return Number(major) > 1 || Number(minor) >= 21 ? `${major}.${minor}` : undefined;
}

/** A PgBouncer in transaction mode in front of a test's PostgreSQL, set up as docs/pgbouncer.ini says; `poolSize` connections to it an entry. */
export async function createPgBouncer(databaseUrl: string, poolSize: number): Promise<PgBouncer> {
  const { hostname, port: serverPort, pathname, username } = new URL(databaseUrl);
  const [dir, port] = [await mkdtemp(join(tmpdir(), 'kanal-pgbouncer-')), await freePort()];
  const ini = await readFile(join(import.meta.dirname, '../../../docs/pgbouncer.ini'), 'utf8');
  const own = ini
    .replaceAll(
      'host=postgres port=5432 dbname=kanal',
      `host=${hostname} port=${serverPort} dbname=${pathname.slice(1)} user=${username}`,
    )
    .replace(/^listen_addr = .*/m, 'listen_addr = 127.0.0.1')
    .replace(/^listen_port = .*/m, `listen_port = ${port}`)
    .replace(/^auth_type = .*/m, 'auth_type = any')
    .replace(/^auth_file = .*/m, `admin_users = ${username}\nunix_socket_dir =`)
    .replace(/^default_pool_size = .*/m, `default_pool_size = ${poolSize}`);
  const file = join(dir, 'pgbouncer.ini');
  await writeFile(file, own);
  // PgBouncer refuses to run as root.
  await chmod(dir, 0o755);
  const child: ChildProcess = track(spawn('pgbouncer', ['-q', file], { ...serverAccount(), cwd: dir, stdio: 'ignore' }));
  const url = (entry: string) => `postgresql://${username}@127.0.0.1:${port}/${entry}`;

  async function asked(entry: string, text: string) {
    const client = new pg.Client({ connectionString: url(entry), connectionTimeoutMillis: 5_000 });
    client.on('error', () => undefined);
    await client.connect();
    return client.query(text).finally(() => client.end());
  }
  async function untilAnswers() {
    for (const until = Date.now() + maxWaitMs; Date.now() < until && child.exitCode === null; await sleep(50))
      if (await asked('kanal_web', 'select 1').catch(() => undefined)) return;
    throw new Error('PgBouncer did not start');
  }
  const remove = async () => {
    child.kill('SIGTERM');
    await ended(child);
    await rm(dir, { recursive: true, force: true });
  };
  await untilAnswers().catch(async (error) => {
    await remove();
    throw error;
  });
  return {
    url,
    async serverConnections(entry) {
      const { rows } = await asked('pgbouncer', 'show servers');
      return rows.filter(({ database }) => database === entry).length;
    },
    remove,
  };
}
