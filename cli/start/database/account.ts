import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { dirname } from 'node:path';

/** The user of the server when we are root: PostgreSQL refuses to run as root. */
export type Account = { uid: number; gid: number };

const name = 'postgres';
const run = (command: string, ...args: string[]) =>
  execFileSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

/** Undefined: we are not root, and the server runs as the same user. */
export function serverAccount(): Account | undefined {
  if (process.getuid?.() !== 0) return undefined;
  try {
    return known();
  } catch {
    return created();
  }
}

const known = (): Account => ({ uid: Number(run('id', '-u', name)), gid: Number(run('id', '-g', name)) });

function created(): Account {
  try {
    run('groupadd', '--force', '--system', name);
    run(
      'useradd',
      '--system',
      '--gid',
      name,
      '--no-create-home',
      '--home-dir',
      '/nonexistent',
      '--shell',
      '/usr/sbin/nologin',
      name,
    );
    return known();
  } catch {
    throw new Error(
      `PostgreSQL does not run as root and no user ${name} could be made: start as another user, or set DATABASE_URL`,
    );
  }
}

/** Whether the account may pass every directory above the path. */
export function canReach(path: string, { uid, gid }: Account): boolean {
  const parent = dirname(path);
  const { mode, uid: owner, gid: group } = statSync(parent);
  const bit = owner === uid ? 0o100 : group === gid ? 0o010 : 0o001;
  return (mode & bit) !== 0 && (parent === dirname(parent) || canReach(parent, { uid, gid }));
}
