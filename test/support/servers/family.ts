import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The pid and those of all its descendants: a signal to PostgreSQL's first process alone leaves its backends as they are. */
export async function familyOf(pid: number): Promise<number[]> {
  const { stdout } = await run('ps', ['-A', '-o', 'pid=,ppid=']);
  const pairs = stdout
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number) as [number, number]);
  const family = [pid];
  for (const parent of family) family.push(...pairs.filter(([, own]) => own === parent).map(([child]) => child));
  return family;
}

export async function signalFamily(pid: number, signal: NodeJS.Signals) {
  for (const member of await familyOf(pid)) {
    try {
      process.kill(member, signal);
    } catch {
      // It has already ended.
    }
  }
}
