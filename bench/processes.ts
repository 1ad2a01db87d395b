import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ended, freePort } from '../test/support/servers/child.ts';
import type { Usage } from './probe.ts';

export const root = join(import.meta.dirname, '..');

export type Process = {
  pid: number;
  ask<Answer>(question: unknown): Promise<Answer>;
  usage(): Promise<Usage>;
  stop(): Promise<void>;
};

/** Extra arguments for Node by the name of the file, from `--profile`. */
const profiled = new Map<string, string>();
export const profile = (file: string, directory: string) => profiled.set(file, directory);

/** A process of its own. Its log goes where a production log goes that nobody reads: it costs its writing and no more. */
export function startProcess(file: string, env: Record<string, string>): Process {
  const directory = profiled.get(file);
  const nothing = openSync('/dev/null', 'w');
  const flags = directory ? ['--cpu-prof', `--cpu-prof-dir=${directory}`] : [];
  const child: ChildProcess = spawn(process.execPath, [...flags, '--import', join(root, 'bench/probe.ts'), join(root, file)], {
    cwd: root,
    env: { PATH: process.env.PATH, NODE_ENV: 'production', ...env },
    stdio: ['ignore', nothing, 'inherit', 'ipc'],
  });
  closeSync(nothing);
  const ask = async <Answer>(question: unknown) => {
    if (child.exitCode !== null) throw new Error(`${file} has ended with ${child.exitCode}`);
    const answer = once(child, 'message', { signal: AbortSignal.timeout(120_000) });
    child.send(question as string);
    return (await answer)[0] as Answer;
  };
  return {
    pid: child.pid!,
    ask,
    usage: async () => (await ask<{ usage: Usage }>('usage')).usage,
    async stop() {
      child.kill('SIGTERM');
      await Promise.race([ended(child), sleep(10_000).then(() => child.kill('SIGKILL'))]);
      await ended(child);
    },
  };
}

/** A process that takes webhooks at `url`. */
export async function startReceiver(file: string): Promise<{ process: Process; url: string }> {
  const port = await freePort();
  return { process: startProcess(file, { PORT: String(port) }), url: `http://127.0.0.1:${port}/hook` };
}

/** A busy machine is slow to start a process. */
const maxReadyMs = 120_000;

/** Asks until the answer is 200; milliseconds since the call. */
export async function untilReady(url: string): Promise<number> {
  const startedAt = performance.now();
  for (;;) {
    try {
      if ((await fetch(url, { signal: AbortSignal.timeout(2_000) })).ok) return performance.now() - startedAt;
    } catch {
      // Not there yet.
    }
    if (performance.now() - startedAt > maxReadyMs) throw new Error(`${url} does not answer`);
    await sleep(5);
  }
}
