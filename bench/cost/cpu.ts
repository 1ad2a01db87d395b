import { readdirSync, readFileSync } from 'node:fs';

/** The kernel's ticks of Linux, 100 a second on every architecture it is built for here. */
const tickUs = 10_000;

type Stat = { parent: number; own: number; ended: number };

/** CPU of a process and of its children that have ended, in µs. Linux alone tells it. */
function statOf(pid: number): Stat | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name before it may hold spaces and brackets.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const us = (from: number) => (Number(fields[from]) + Number(fields[from + 1])) * tickUs;
    return { parent: Number(fields[1]), own: us(11), ended: us(13) };
  } catch {
    return undefined;
  }
}

export function cpuUsOf(pid: number): number {
  const stat = statOf(pid);
  if (!stat) throw new Error(`No process ${pid} in /proc: what it costs is told on Linux only, while it runs`);
  return stat.own;
}

/** PostgreSQL: its first process, the children it has, and those that have ended. */
export function familyCpuUs(pid: number): number {
  const first = statOf(pid);
  if (!first) throw new Error(`No process ${pid} in /proc: what it costs is told on Linux only, while it runs`);
  const children = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => statOf(Number(name)))
    .filter((stat) => stat?.parent === pid);
  return children.reduce((sum, stat) => sum + stat!.own + stat!.ended, first.own + first.ended);
}
