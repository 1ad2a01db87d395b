import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { readIfThere, writePrivate } from './files.ts';
import type { Home } from './home.ts';
import { identityOf } from './identity.ts';
import { end, watchForeign } from './running.ts';

type PidRecord = { pid: number; identity: string };

const supervisor = 'supervisor';
const leftoverDeadlineMs = 10_000;
const pathOf = (home: Home, name: string) => home.file('run', `${name}.json`);

/** Written whole, so that whoever reads it meets a record. Nothing of a process that has ended. */
export function recordPid(home: Home, name: string, pid: number) {
  const record = recordOf(pid);
  if (record) writePrivate(pathOf(home, name), record);
}

function recordOf(pid: number): string | undefined {
  const identity = identityOf(pid);
  return identity && JSON.stringify({ pid, identity });
}

export const forgetPid = (home: Home, name: string) => rmSync(pathOf(home, name), { force: true });

/** The recorded process, when it still runs and its pid is not another process's. */
function livingPid(home: Home, name: string): number | undefined {
  try {
    const record = JSON.parse(readIfThere(pathOf(home, name)) ?? '{}') as Partial<PidRecord>;
    return record.pid && identityOf(record.pid) === record.identity ? record.pid : undefined;
  } catch {
    return undefined;
  }
}

/** One supervisor for each home. Throws when there is one already. */
export function takeHome(home: Home) {
  const other = livingPid(home, supervisor);
  if (other && other !== process.pid) throw new Error(`Kanal is already running here (process ${other})`);
  forgetPid(home, supervisor);
  // Of two that start at once the other fails.
  writeFileSync(pathOf(home, supervisor), recordOf(process.pid) ?? '{}', { mode: 0o600, flag: 'wx' });
}

export const leaveHome = (home: Home) => forgetPid(home, supervisor);

/** Ends the processes that a killed supervisor left running. Returns their names. */
export async function endLeftovers(home: Home): Promise<string[]> {
  const names = readdirSync(home.file('run')).map((file) => file.replace(/\.json$/, ''));
  const left = names.flatMap((name) => {
    const pid = name === supervisor ? undefined : livingPid(home, name);
    return pid ? [{ name, pid }] : [];
  });
  await Promise.all(left.map(({ pid }) => end(watchForeign(pid), 'SIGTERM', leftoverDeadlineMs)));
  for (const name of names.filter((one) => one !== supervisor)) forgetPid(home, name);
  return left.map(({ name }) => name);
}
