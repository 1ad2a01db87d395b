import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { inheritedEnvironment } from '../../src/platform/config/config.ts';

export const root = fileURLToPath(new URL('../../', import.meta.url));

/** Ours without what jest and the test's servers added, and without what a developer may have set for the commands. */
export const cleanEnvironment = () =>
  Object.fromEntries(
    Object.entries(inheritedEnvironment()).filter(
      ([name]) => !/^(KANAL|JEST|NODE_OPTIONS|DATABASE_URL|QUEUE_URL|SECRET_KEY|HASH_KEY|.*PORT$)/.test(name),
    ),
  );

export type Finished = { code: number | null; stdout: string; stderr: string };

/** Runs `node cli/main.ts …` to its end, with `input` on standard input. */
export function command(args: string[], env: Record<string, string>, input = ''): Promise<Finished> {
  const child = spawn(process.execPath, ['cli/main.ts', ...args], { cwd: root, env: { ...cleanEnvironment(), ...env } });
  child.stdin.end(input);
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
  });
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, stdout, stderr })));
}

/** No command of these asks for a secret. */
export const commandOn =
  (url: string, input?: string) =>
  (...args: string[]) =>
    command(args, { DATABASE_URL: url }, input);
