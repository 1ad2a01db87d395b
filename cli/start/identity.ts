import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/**
 * What distinguishes a process from a later one with the same pid: its start time and command line. Undefined: there is none, or it has
 * ended and its parent has not waited for it.
 */
export function identityOf(pid: number): string | undefined {
  if (pid <= 1) return undefined;
  try {
    return process.platform === 'linux' ? linuxIdentity(pid) : psIdentity(pid);
  } catch {
    return undefined;
  }
}

/** A process has no command line for a moment after its start; one of the kernel never has. */
const [looks, lookMs] = [50, 2];

function linuxIdentity(pid: number): string | undefined {
  let commandLine = '';
  for (let look = 0; commandLine === '' && look < looks; look += 1) {
    if (look > 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, lookMs);
    commandLine = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
    if (stateOf(pid)[0] === 'Z') return undefined;
  }
  return commandLine === '' ? undefined : `${stateOf(pid)[19]} ${commandLine}`;
}

/** The fields of the process's state, parent … and, 20th, its start in ticks since boot. */
function stateOf(pid: number): string[] {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name in parentheses may hold anything.
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

function psIdentity(pid: number): string | undefined {
  const line = execFileSync('ps', ['-o', 'stat=,lstart=,command=', '-p', String(pid)], {
    encoding: 'utf8',
    env: { LC_ALL: 'C', PATH: '/bin:/usr/bin' },
  });
  const [state, ...rest] = line.trim().split(/\s+/);
  return !state || state.startsWith('Z') ? undefined : rest.join(' ');
}
