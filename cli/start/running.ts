import { setTimeout as pause } from 'node:timers/promises';
import { identityOf } from './identity.ts';

/** A running process; `ended` says how it ended. */
export type Running = { pid: number; ended: Promise<string> };

/** A process that is not our child: its end can only be polled. */
export function watchForeign(pid: number): Running {
  const identity = identityOf(pid);
  const watch = async () => {
    while (identityOf(pid) === identity) await pause(100);
    return 'ended';
  };
  return { pid, ended: watch() };
}

export function signalTo(pid: number, signal: NodeJS.Signals) {
  // A process that could not be started has none; 0 would be our own group.
  if (pid === 0) return;
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended already.
  }
}

/** Sends the signal, waits, and then kills the whole process group. */
export async function end({ pid, ended }: Running, signal: NodeJS.Signals, deadlineMs: number): Promise<'asked' | 'killed'> {
  signalTo(pid, signal);
  const timer = new AbortController();
  const late = pause(deadlineMs, 'late', { signal: timer.signal }).catch(() => '');
  const first = await Promise.race([ended, late]);
  timer.abort();
  if (first !== 'late') return 'asked';
  signalTo(-pid, 'SIGKILL');
  signalTo(pid, 'SIGKILL');
  await ended;
  return 'killed';
}
