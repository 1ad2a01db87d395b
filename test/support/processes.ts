import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterAll } from '@jest/globals';
import { inheritedEnvironment } from '../../src/config.ts';
import { createPostgresServer, type PostgresServer } from './servers/postgres.ts';
import { createRedisServer, type RedisServer } from './servers/redis.ts';
import { waitFor } from './wait-for.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const endings: (() => Promise<unknown> | unknown)[] = [];
afterAll(async () => {
  for (const end of endings.splice(0).reverse()) await end();
}, 30_000);

export type NodeProcess = {
  pid: number;
  /** Sends a signal; SIGSTOP and SIGCONT too. Await `exited` for the end. */
  kill(signal: NodeJS.Signals): void;
  /** The code and signal it ended with. */
  exited: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
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
 * Starts a script of the repository (`workers/main.ts`) as a real child with the pinned Node and waits until it says that it is ready.
 * The environment is ours without KANAL_TEST_*, and `env` on top. Whatever happens it is dead at the end of the test file.
 */
export async function spawnNode(script: string, env: Record<string, string>, ready = readyWords[script]): Promise<NodeProcess> {
  const own = Object.entries(inheritedEnvironment()).filter(([name]) => !/^(KANAL_TEST|JEST|NODE_OPTIONS)/.test(name));
  const child = spawn(process.execPath, [script], { cwd: root, env: { ...Object.fromEntries(own), ...env } });
  let written = '';
  const keep = (chunk: Buffer) => {
    written += chunk.toString();
  };
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  let isOver = false;
  const exited = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) => {
    child.on('close', (code, signal) => {
      isOver = true;
      resolve({ code, signal });
    });
  });
  endings.push(() => {
    child.kill('SIGKILL');
    return exited;
  });
  const says = (text: string, withinMs = 15_000) =>
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
  return { pid: child.pid!, kill: (signal) => void child.kill(signal), exited, output: () => written, says };
}

/** A PostgreSQL of the test's own that it may kill, stop, freeze and start again; what was committed survives SIGKILL. Removed at the end. */
export async function startPostgres(): Promise<PostgresServer> {
  const server = await createPostgresServer({ isDurable: true });
  endings.push(() => server.remove());
  return server;
}

/** A Redis of the test's own, as startPostgres. `dir` keeps its files where the test can copy them; `args` go to redis-server. */
export async function startRedis(options: { dir?: string; port?: number; args?: string[] } = {}): Promise<RedisServer> {
  const server = await createRedisServer(options);
  endings.push(() => server.remove());
  return server;
}
