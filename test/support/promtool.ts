import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe } from '@jest/globals';

const isThere = spawnSync('promtool', ['--version']).error === undefined;

export type Promtool = {
  /** Throws with what promtool says. */
  check(rulesFile: string): void;
  test(testsFile: string): void;
};

const run = (...args: string[]) => {
  try {
    execFileSync('promtool', args, { encoding: 'utf8', stdio: 'pipe' });
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    throw new Error(`promtool ${args.join(' ')}:\n${stdout}${stderr}`);
  }
};

/** Runs a suite with Prometheus' own tool (Debian's package `prometheus`); in CI it must be there, elsewhere its absence is said. */
export function describeWithPromtool(name: string, suite: (promtool: Promtool) => void) {
  if (!isThere && process.env.CI === 'true') throw new Error('No promtool: in CI the rules are tested with it');
  if (!isThere) console.warn(`${name}: no promtool here (Debian's package prometheus has it), so this is not tested`);
  const each = isThere ? describe : describe.skip;
  each(name, () => suite({ check: (file) => run('check', 'rules', file), test: (file) => run('test', 'rules', file) }));
}

/** A file for the time of `use`. JSON is YAML. */
export function withFile(name: string, content: object, use: (path: string, folder: string) => void) {
  const folder = mkdtempSync(join(tmpdir(), 'kanal-promtool-'));
  try {
    writeFileSync(join(folder, name), JSON.stringify(content));
    use(join(folder, name), folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
