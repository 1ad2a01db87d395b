import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DemoFile } from '../../cli/start/demo-file.ts';
import { identityOf } from '../../cli/start/identity.ts';
import { afterEachFile } from '../support/jest/each-file.ts';
import { waitFor } from '../support/wait-for.ts';
import { cleanEnvironment, root } from './command.ts';

/** Generous: the machine that runs the tests may do much else. */
export const limitMs = 120_000;

export type Started = {
  child: ChildProcess;
  output(): string;
  /** Waits until everything is up. */
  demo(): Promise<DemoFile>;
  ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
};

const running = new Set<Started>();
afterEachFile(async () => {
  for (const { child, ended } of running) {
    child.kill('SIGINT');
    await ended;
  }
});

/** `node cli/main.ts start` with any free ports, everything it keeps in `home`. */
export const startIn = (home: string, ...args: string[]): Started => startWith({}, home, ...args);

export function startWith(own: Record<string, string>, home: string, ...args: string[]): Started {
  const env = { ...cleanEnvironment(), KANAL_HOME: home, PORT: '0', SANDBOX_PORT: '0', ...own };
  const child = spawn(process.execPath, ['cli/main.ts', 'start', ...args], { cwd: root, env });
  let written = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (written += chunk));
  const started: Started = {
    child,
    output: () => written,
    demo: async () => {
      await waitFor(
        'the start',
        () => {
          if (child.exitCode !== null) throw new Error(`The start ended:\n${written}`);
          return written.includes('Kanal is up.');
        },
        limitMs,
      );
      return JSON.parse(readFileSync(join(home, 'demo.json'), 'utf8'));
    },
    ended: new Promise((resolve) =>
      child.on('close', (code, signal) => {
        running.delete(started);
        resolve({ code, signal });
      }),
    ),
  };
  running.add(started);
  return started;
}

export const pidIn = (home: string, name: string): number =>
  JSON.parse(readFileSync(join(home, 'run', `${name}.json`), 'utf8')).pid;
export const serverPid = (home: string) =>
  Number(readFileSync(join(home, 'postgres', 'data', 'postmaster.pid'), 'utf8').split('\n')[0]);
export const allPids = (home: string) => [...['web', 'worker', 'sandbox'].map((name) => pidIn(home, name)), serverPid(home)];

/** One that has ended and waits to be collected does not count: a left-over's parent may be anybody. */
export const isAlive = (pid: number) => identityOf(pid) !== undefined;

/** How PostgreSQL tells of two that wrote one row at once: the second asserts what it saw, and is made again (`assert_that`). */
const madeAgain = 'ERROR:  What the statement rests on has changed';

/** The lines of all the processes' logs that tell of an error. */
export const errorLines = (home: string) =>
  readdirSync(join(home, 'logs'))
    .filter((name) => name.endsWith('.log'))
    .flatMap((name) => readFileSync(join(home, 'logs', name), 'utf8').split('\n'))
    .filter((line) => /"level":[56]0|ERROR|FATAL|PANIC/.test(line) && !line.endsWith(madeAgain));

/** The status of a login, and where and what the user is then. */
export async function logIn({ base_url, user }: DemoFile): Promise<[number, object?]> {
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(`${base_url}/v1/auth/login`, { method: 'POST', headers, body: JSON.stringify(user) });
  if (!answer.ok) return [answer.status];
  const cookie = answer.headers.getSetCookie()[0]!.split(';')[0]!;
  const me = await fetch(`${base_url}/v1/auth/me`, { headers: { cookie } });
  const { organization_id, role } = ((await me.json()) as { data: { organization_id: string; role: string } }).data;
  return [answer.status, { organization_id, role }];
}
