import { type ChildProcess, execFile } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { signalFamily } from './servers/family.ts';

const run = promisify(execFile);
const prefix = 'kanal-tests-';
const parent = process.env.KANAL_TEST_RUN ? join(process.env.KANAL_TEST_RUN, '..') : tmpdir();

/**
 * A folder for one run of the tests: its temporary files, and a file for each process that it started. Whatever way the run ends, its runner
 * or the next one ends these processes and deletes the folder.
 */
export function createRunFolder(): string {
  const folder = mkdtempSync(join(parent, prefix));
  // Servers that may not run as root have a user of their own.
  chmodSync(folder, 0o755);
  mkdirSync(join(folder, 'pids'));
  writeFileSync(join(folder, 'owner'), String(process.pid));
  return folder;
}

/** Notes a child of this run that lives longer than a call. */
export function track<Child extends ChildProcess>(child: Child): Child {
  const folder = process.env.KANAL_TEST_RUN;
  if (folder && child.pid) writeFileSync(join(folder, 'pids', String(child.pid)), '');
  return child;
}

/** Ends what the run has left alive, and deletes its folder. */
export async function endRunOf(folder: string): Promise<void> {
  for (const name of await readdir(join(folder, 'pids')).catch(() => [])) {
    const notedAt = (await stat(join(folder, 'pids', name))).mtimeMs;
    const startedAt = await startOf(Number(name));
    // The system may have given the number to a process of somebody else since.
    if (startedAt !== undefined && startedAt <= notedAt + 1_000) await signalFamily(Number(name), 'SIGKILL');
  }
  await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
}

/** Ends the runs whose runner was killed before it could. */
export async function endAbandonedRuns(): Promise<void> {
  for (const name of await readdir(parent)) {
    if (!name.startsWith(prefix)) continue;
    const folder = join(parent, name);
    const owner = Number(await readFile(join(folder, 'owner'), 'utf8').catch(() => '0'));
    if (owner === 0 || (await startOf(owner)) === undefined) await endRunOf(folder);
  }
}

/** When a process started, in milliseconds of the epoch; undefined when there is none. */
async function startOf(pid: number): Promise<number | undefined> {
  if (!pid) return undefined;
  const { stdout } = await run('ps', ['-o', 'lstart=', '-p', String(pid)], { env: { ...process.env, LC_ALL: 'C' } }).catch(
    () => ({ stdout: '' }),
  );
  return stdout.trim() ? Date.parse(stdout.trim()) : undefined;
}
