import { createHash, randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { readIfThere } from '../start/files.ts';

type Places = { system: string; own: string };
const places = (): Places => ({ system: '/etc/machine-id', own: join(homedir(), '.kanal-machine') });

/**
 * Tells machines of one host name apart. By the system's id, hashed as it is nobody else's business; where there is none, as on macOS and in
 * containers, by a random one in the home of the user.
 */
export function machineOf({ system, own } = places()): string {
  const id = textOf(system) || textOf(own) || keepNew(own);
  return createHash('sha256').update(`kanal webhooks listen ${id}`).digest('hex').slice(0, 12);
}

function textOf(path: string): string {
  try {
    return readIfThere(path)?.trim() ?? '';
  } catch {
    return '';
  }
}

/** One that cannot be kept is this run's alone: what the run leaves, if it is killed, no other removes. */
function keepNew(path: string): string {
  const id = randomUUID();
  try {
    writeFileSync(path, `${id}\n`, { mode: 0o600, flag: 'wx' });
    return id;
  } catch {
    return textOf(path) || id;
  }
}
