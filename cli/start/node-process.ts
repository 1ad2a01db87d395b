import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { follow } from './follow.ts';
import type { Home } from './home.ts';
import type { Output } from './output.ts';
import type { Running } from './running.ts';

const root = join(import.meta.dirname, '..', '..');

export type NodeProcess = { name: string; script: string; env: NodeJS.ProcessEnv };

/**
 * In its own process group, so that Ctrl-C reaches the supervisor alone. It writes its log itself, also after the supervisor was killed;
 * errors are shown on the terminal too.
 */
export function launchNode({ name, script, env }: NodeProcess, home: Home, output: Output): Running {
  const path = home.file('logs', `${name}.log`);
  const log = openSync(path, 'a', 0o600);
  const followed = follow(path, (line) => {
    const fault = faultIn(line);
    if (fault) output.say(`${name}: ${fault}`);
  });
  const child = spawn(process.execPath, [join(root, script)], { cwd: root, env, detached: true, stdio: ['ignore', log, log] });
  closeSync(log);
  const ended = new Promise<string>((resolve) => {
    child.on('error', (error) => resolve(error.message));
    child.on('exit', (code, signal) => resolve(signal ?? `exit ${code}`));
  });
  return { pid: child.pid ?? 0, ended: ended.finally(() => followed.end()) };
}

type Line = { level?: number; msg?: string; error?: string; err?: { message?: string } };
const errorLevel = 50;

/** The message of a log line with an error; other lines come from Node itself and are shown as they are. */
function faultIn(line: string): string | undefined {
  if (!line.startsWith('{')) return line;
  if (!/"level":[56]0|"error":/.test(line)) return undefined;
  try {
    const { level = errorLevel, msg, error, err } = JSON.parse(line) as Line;
    return level >= errorLevel ? [msg, error ?? err?.message].filter(Boolean).join(': ') : undefined;
  } catch {
    return line;
  }
}
