import { execFileSync } from 'node:child_process';
import { cpus, totalmem } from 'node:os';
import { root } from './processes.ts';

/** When, what and where: without them a figure says nothing. */
export function describeRun(): string {
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: root, encoding: 'utf8' }).trim();
  const memory = Math.round(totalmem() / 2 ** 30);
  return `${new Date().toISOString().slice(0, 10)}, commit ${commit}, ${cpus().length} cores (${cpus()[0]?.model.trim()}), ${memory} GiB, Node ${process.version}`;
}
