import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Process } from './processes.ts';

const run = promisify(execFile);
const everyMs = 500;

/** Resident memory in MB, asked of the system: a process whose loop stands still cannot say it. */
export async function residentMb(processes: Process[]): Promise<number[]> {
  const { stdout } = await run('ps', ['-o', 'pid=,rss=', '-p', processes.map(({ pid }) => pid).join(',')]);
  const byPid = new Map(
    stdout
      .trim()
      .split('\n')
      .map((line) => line.trim().split(/\s+/).map(Number) as [number, number]),
  );
  return processes.map(({ pid }) => (byPid.get(pid) ?? 0) / 1024);
}

/** The most each process has held since then. */
export function watchMemory(processes: Process[]) {
  let peaks = processes.map(() => 0);
  const timer = setInterval(async () => {
    const now = await residentMb(processes).catch(() => peaks);
    peaks = peaks.map((peak, index) => Math.max(peak, now[index]!));
  }, everyMs);
  return { peaks: () => peaks, stop: () => clearInterval(timer) };
}
