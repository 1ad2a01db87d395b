import { spawn } from 'node:child_process';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setting } from './database.ts';
import { afterEachFile } from './jest/each-file.ts';
import { track } from './leftovers.ts';
import { createPostgresServer, type PostgresServer } from './servers/postgres.ts';
import { createRedisServer, type RedisServer } from './servers/redis.ts';
import { waitFor } from './wait-for.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const endings: (() => Promise<unknown> | unknown)[] = [];
afterEachFile(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});

/** The code and signal a process ended with. */
export type Exit = { code: number | null; signal: NodeJS.Signals | null };

export type NodeProcess = {
  pid: number;
  /** Sends a signal; SIGSTOP and SIGCONT too. Await `exited` for the end. */
  kill(signal: NodeJS.Signals): void;
  /** Sends a signal and waits for the end. */
  end(signal: NodeJS.Signals): Promise<Exit>;
  exited: Promise<Exit>;
  /** All it has written so far, standard output and error in one. */
  output(): string;
  /** Waits until a line of the output holds the text. */
  says(text: string, withinMs?: number): Promise<string>;
};

const readyWords: Record<string, string> = {
  'api/main.ts': 'listening',
  'workers/main.ts': '"msg":"working"',
  'sandbox/main.ts': 'sandbox listening',
};

/**
 * Starts a script of the repository (`workers/main.ts`, or with arguments `cli/main.ts migrate`) as a real child with the pinned Node,
 * as production runs it: with `env` and nothing else. Waits until it says that it is ready; for '' it waits for nothing. Whatever
 * happens it is dead at the end of the test file.
 */
export async function spawnNode(
  script: string | string[],
  env: Record<string, string>,
  ready = readyWords[String(script)],
): Promise<NodeProcess> {
  const path = { PATH: dirname(process.execPath) };
  const args = typeof script === 'string' ? script.split(' ') : script;
  const child = track(spawn(process.execPath, args, { cwd: root, env: { ...path, ...env } }));
  let written = '';
  const keep = (chunk: Buffer) => {
    written += chunk.toString();
  };
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  let isOver = false;
  const exited = new Promise<Exit>((resolve) => {
    child.on('close', (code, signal) => {
      isOver = true;
      resolve({ code, signal });
    });
  });
  endings.push(() => {
    child.kill('SIGKILL');
    return exited;
  });
  const says = (text: string, withinMs?: number) =>
    waitFor(
      `"${text}" from ${script}`,
      () => {
        const line = written.split('\n').find((each) => each.includes(text));
        if (!line && isOver) throw new Error(`${script} ended without saying "${text}":\n${written}`);
        return line;
      },
      withinMs,
    );
  if (ready) await says(ready);
  const end = (signal: NodeJS.Signals) => {
    child.kill(signal);
    return exited;
  };
  return { pid: child.pid!, kill: (signal) => void child.kill(signal), end, exited, output: () => written, says };
}

/**
 * A PostgreSQL of the test's own that it may kill, stop, freeze and start again; what was committed survives SIGKILL. Removed at the end.
 * It is empty; `isMigrated`: it has all our tables.
 */
export async function startPostgres({ isMigrated = false } = {}): Promise<PostgresServer> {
  const server = await createPostgresServer({
    isDurable: true,
    ...(isMigrated && { from: setting('KANAL_TEST_POSTGRES_COPY') }),
  });
  endings.push(() => server.remove());
  return server;
}

/** A Redis of the test's own, as startPostgres. `dir` keeps its files where the test can copy them; `args` go to redis-server. */
export async function startRedis(options: { dir?: string; port?: number; args?: string[] } = {}): Promise<RedisServer> {
  const server = await createRedisServer(options);
  endings.push(() => server.remove());
  return server;
}
