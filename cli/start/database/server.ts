import { spawn } from 'node:child_process';
import { closeSync, existsSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { readIfThere } from '../files.ts';
import type { Home } from '../home.ts';
import { identityOf } from '../identity.ts';
import type { Output } from '../output.ts';
import { freePort } from '../ports.ts';
import { type Running, watchForeign } from '../running.ts';
import { type Account, serverAccount } from './account.ts';
import { createCluster } from './cluster.ts';
import { serverPlace } from './place.ts';
import { type Programs, serverPrograms } from './programs.ts';

export type Server = { launch(): Running; port: number; isReady(): boolean };

/** Prepares the embedded server for its launch; its data are made at the first start. */
export async function prepareServer(home: Home, output: Output, signal: AbortSignal): Promise<Server> {
  const account = serverAccount();
  const place = serverPlace(home, account, output);
  const programs = serverPrograms(place, account);
  const data = join(place, 'data');
  if (!existsSync(join(data, 'PG_VERSION'))) {
    output.say('database: creating it, this once');
    await output.step('initdb', () =>
      createCluster({ initdb: programs.initdb, place, data, account, password: home.kept.databasePassword, signal }),
    );
  }
  const left = leftoverServer(data);
  if (left) output.say(`database: using the server an earlier start has left (process ${left.pid})`);
  const port = left?.port ?? (await freePort(home.kept.databasePort ?? 0));
  home.keep({ databasePort: port });
  return {
    port,
    isReady: () => serverFile(data)[7]?.trim() === 'ready',
    launch: () => launch({ programs, data, place, account, port, home }),
  };
}

/** The file of a running server: line 1 is its pid, line 4 the port, line 8 its state. */
const serverFile = (data: string) => readIfThere(join(data, 'postmaster.pid'))?.split('\n') ?? [];

/** The running server of this data directory. */
export function leftoverServer(data: string): { pid: number; port: number } | undefined {
  const lines = serverFile(data);
  const [pid, port] = [Number(lines[0]), Number(lines[3])];
  return pid && port && identityOf(pid)?.includes(data) ? { pid, port } : undefined;
}

/** The data directory of an earlier start. */
export const dataOf = (home: Home) => join(home.kept.serverDirectory ?? home.file('postgres'), 'data');

type Launch = { programs: Programs; data: string; place: string; account: Account | undefined; port: number; home: Home };

function launch({ programs, data, place, account, port, home }: Launch): Running {
  const left = leftoverServer(data);
  if (left) return watchForeign(left.pid);
  const settings = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: '100',
    shared_buffers: '128MB',
    timezone: 'UTC',
    log_timezone: 'UTC',
  };
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const log = openSync(home.file('logs', 'database.log'), 'a', 0o600);
  const child = spawn(programs.postgres, ['-D', data, '-p', String(port), ...flags], {
    cwd: place,
    env: { LC_ALL: 'C' },
    detached: true,
    stdio: ['ignore', log, log],
    ...account,
  });
  closeSync(log);
  const ended = new Promise<string>((resolve) => {
    child.on('error', (error) => resolve(error.message));
    child.on('exit', (code, signal) => resolve(signal ?? `exit ${code}`));
  });
  return { pid: child.pid ?? 0, ended };
}
