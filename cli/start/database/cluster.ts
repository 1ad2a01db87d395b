import { spawn } from 'node:child_process';
import { chownSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { signalTo } from '../running.ts';
import type { Account } from './account.ts';

type Cluster = {
  initdb: string;
  place: string;
  data: string;
  account: Account | undefined;
  password: string;
  signal: AbortSignal;
};

/** initdb beside the place and a rename: an interrupted start leaves no half of a database. */
export async function createCluster({ initdb, place, data, account, password, signal }: Cluster) {
  const fresh = `${data}.new`;
  const passwordFile = join(place, 'password');
  rmSync(fresh, { recursive: true, force: true });
  writeFileSync(passwordFile, password, { mode: 0o600 });
  if (account) chownSync(passwordFile, account.uid, account.gid);
  try {
    const options = [
      '--auth=scram-sha-256',
      '--username=postgres',
      `--pwfile=${passwordFile}`,
      '--encoding=UTF8',
      '--no-sync',
      '--no-instructions',
    ];
    // The server's built-in locale: sorting does not depend on the machine.
    const locale = ['--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];
    const child = spawn(initdb, [`--pgdata=${fresh}`, ...options, ...locale], {
      cwd: place,
      env: { LC_ALL: 'C', TZ: 'UTC' },
      detached: true,
      stdio: ['ignore', 'ignore', 'pipe'],
      ...account,
    });
    // The whole group: initdb's children would still write into a directory that the next start deletes.
    const breakOff = () => signalTo(-(child.pid ?? 0), 'SIGKILL');
    signal.addEventListener('abort', breakOff, { once: true });
    const [faults, code] = await Promise.all([
      text(child.stderr),
      new Promise<number | null>((resolve, reject) => child.on('error', reject).on('close', resolve)),
    ]);
    signal.removeEventListener('abort', breakOff);
    signal.throwIfAborted();
    if (code !== 0) throw new Error(`The database could not be created: ${faults.trim()}`);
    renameSync(fresh, data);
  } finally {
    rmSync(passwordFile, { force: true });
  }
}
