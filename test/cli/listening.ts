import { type ChildProcess, spawn } from 'node:child_process';
import { afterEachFile } from '../support/jest/each-file.ts';
import { waitFor } from '../support/wait-for.ts';
import { cleanEnvironment, root } from './command.ts';

export type Listening = {
  child: ChildProcess;
  output(): string;
  errors(): string;
  /** Lines that are about a delivery. */
  lines(): string[];
  /** A field of the text it begins with. */
  told(name: 'Endpoint' | 'Address' | 'Secret'): string;
  end(signal?: NodeJS.Signals): Promise<number | null>;
};

const running = new Set<Listening>();
afterEachFile(async () => {
  for (const one of running) await one.end('SIGKILL');
});

/** `kanal webhooks listen …` as a process without a terminal. */
export function listening(env: Record<string, string>, ...args: string[]): Listening {
  const child = spawn(process.execPath, ['cli/main.ts', 'webhooks', 'listen', ...args], {
    cwd: root,
    env: { ...cleanEnvironment(), ...env },
  });
  child.stdin.end();
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk) => (stdout += chunk));
  child.stderr.on('data', (chunk) => (stderr += chunk));
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  const listens: Listening = {
    child,
    output: () => stdout,
    errors: () => stderr,
    lines: () => stdout.split('\n').filter((line) => /^(\d\d:|\{)/.test(line)),
    told(name) {
      const [, value] = new RegExp(`^ +${name} +([^\\s,]+)`, 'm').exec(stdout + stderr) ?? [];
      if (!value) throw new Error(`No ${name} in:\n${stdout}${stderr}`);
      return value;
    },
    end(signal = 'SIGINT') {
      running.delete(listens);
      child.kill(signal);
      return ended;
    },
  };
  running.add(listens);
  return listens;
}

/** When it says that what Kanal sends arrives. */
export async function whenReached(listens: Listening): Promise<Listening> {
  await waitFor('the command to be reached', () => {
    if (listens.child.exitCode !== null) throw new Error(`It ended:\n${listens.output()}${listens.errors()}`);
    return /^A test arrived and is verified/m.test(listens.output() + listens.errors());
  });
  return listens;
}
