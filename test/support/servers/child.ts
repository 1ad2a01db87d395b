import type { ChildProcess } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

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

/** Resolves when the process has ended. */
export async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
}
