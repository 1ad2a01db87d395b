import { type ChildProcess, execFile } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { promisify } from 'node:util';

const run = promisify(execFile);

/**
 * Below the ports that the system gives to connections: while a server is down, as when a test kills it, none of them takes its place.
 * Each jest worker has ports of its own, so that two files at once do not find the same one free.
 */
const firstPort = 10_000 + (Number(process.env.JEST_WORKER_ID ?? 0) % 10) * 2_000;

/** Of those in our range the one that fetch() asks nobody at: the standard's list of bad ports. */
const blockedByFetch = 10_080;

/** A port nobody listens on at the moment of asking. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = firstPort + randomInt(2_000);
    if (port === blockedByFetch) continue;
    const server = createServer().listen(port, '127.0.0.1');
    try {
      await once(server, 'listening');
    } catch {
      // Somebody else's: another one then.
      continue;
    }
    server.close();
    await once(server, 'close');
    return port;
  }
}

/** The pid and those of all its descendants: a signal to PostgreSQL's first process alone leaves its backends as they are. */
export async function familyOf(pid: number): Promise<number[]> {
  const { stdout } = await run('ps', ['-A', '-o', 'pid=,ppid=']);
  const pairs = stdout
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number) as [number, number]);
  const family = [pid];
  for (const parent of family) family.push(...pairs.filter(([, own]) => own === parent).map(([child]) => child));
  return family;
}

export async function signalFamily(pid: number, signal: NodeJS.Signals) {
  for (const member of await familyOf(pid)) {
    try {
      process.kill(member, signal);
    } catch {
      // It has ended meanwhile.
    }
  }
}

/** Resolves when the process has ended. */
export async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
}
