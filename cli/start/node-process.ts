import { spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Home } from './home.ts';
import type { Output } from './output.ts';
import type { Running } from './running.ts';

const root = join(import.meta.dirname, '..', '..');

export type NodeProcess = { name: string; script: string; env: NodeJS.ProcessEnv };

/** In a process group of its own, so that Ctrl-C reaches the supervisor alone. Its lines go to a log, its errors to the terminal too. */
export function launchNode({ name, script, env }: NodeProcess, home: Home, output: Output): Running {
  const child = spawn(process.execPath, [join(root, script)], {
    cwd: root,
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const log = createWriteStream(home.file('logs', `${name}.log`), { flags: 'a', mode: 0o600 });
  createInterface({ input: child.stdout }).on('line', (line) => {
    log.write(`${line}\n`);
    const fault = faultIn(line);
    if (fault) output.say(`${name}: ${fault}`);
  });
  createInterface({ input: child.stderr }).on('line', (line) => {
    log.write(`${line}\n`);
    output.say(`${name}: ${line}`);
  });
  const ended = new Promise<string>((resolve) => {
    child.on('error', (error) => resolve(error.message));
    child.on('close', (code, signal) => log.end(() => resolve(signal ?? `exit ${code}`)));
  });
  return { pid: child.pid ?? 0, ended };
}

type Line = { level?: number; msg?: string; error?: string; err?: { message?: string } };
const errorLevel = 50;

/** The sentence of a log line that tells of an error. */
function faultIn(line: string): string | undefined {
  if (!/"level":[56]0|"error":/.test(line)) return undefined;
  try {
    const { level = errorLevel, msg, error, err } = JSON.parse(line) as Line;
    return level >= errorLevel ? [msg, error ?? err?.message].filter(Boolean).join(': ') : undefined;
  } catch {
    return undefined;
  }
}
