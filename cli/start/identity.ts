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

function linuxIdentity(pid: number): string | undefined {
  const commandLine = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name in parentheses may hold anything; the fields after it are the state, the parent … and, 20th, the start in ticks since boot.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return commandLine === '' || fields[0] === 'Z' ? undefined : `${fields[19]} ${commandLine}`;
}

function psIdentity(pid: number): string | undefined {
  const line = execFileSync('ps', ['-o', 'stat=,lstart=,command=', '-p', String(pid)], {
    encoding: 'utf8',
    env: { LC_ALL: 'C', PATH: '/bin:/usr/bin' },
  });
  const [state, ...rest] = line.trim().split(/\s+/);
  return !state || state.startsWith('Z') ? undefined : rest.join(' ');
}
