import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Home } from '../home.ts';
import type { Output } from '../output.ts';
import { type Account, canReach } from './account.ts';

/** The directory of the server: its data, and a copy of its programs when it cannot reach the installed ones. */
export function serverPlace(home: Home, account: Account | undefined, output: Output): string {
  const own = home.file('postgres');
  if (!account) return made(own, account);
  if (canReach(home.path, account)) {
    // The home stays closed to others; the server's user, which must pass it, now owns it.
    chownSync(home.path, account.uid, account.gid);
    return made(own, account);
  }
  const { serverDirectory } = home.kept;
  if (serverDirectory && existsSync(serverDirectory)) return made(serverDirectory, account);
  const place = mkdtempSync(join(reachableTemporary(account), 'kanal-'));
  home.keep({ serverDirectory: place });
  output.say(`database: the server's user cannot reach ${home.path}, so its data are in ${place}`);
  return made(place, account);
}

function made(place: string, account: Account | undefined): string {
  mkdirSync(place, { recursive: true, mode: 0o700 });
  chmodSync(place, 0o700);
  if (account) chownSync(place, account.uid, account.gid);
  return place;
}

/** /var/tmp first: it outlives a restart of the machine. */
function reachableTemporary(account: Account): string {
  const found = ['/var/tmp', tmpdir(), '/tmp'].find((path) => existsSync(path) && canReach(join(path, 'kanal'), account));
  if (!found)
    throw new Error("The server's user can reach no temporary directory: set KANAL_HOME to one it can reach, or DATABASE_URL");
  return found;
}
