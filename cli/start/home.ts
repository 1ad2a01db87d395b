import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { readIfThere, writePrivate } from './files.ts';

/** Values that the first start generates and later ones reuse. */
export type Kept = {
  secretKey: string;
  hashKey: string;
  appSecret: string;
  verifyToken: string;
  /** With which the sandbox signs what it tells of payments and parcels. */
  serviceSecret: string;
  operatorPassword: string;
  metricsToken: string;
  databasePassword: string;
  databasePort?: number;
  /** The database's directory when its user cannot reach the home. */
  serverDirectory?: string;
  organizationId?: string;
  apiKey?: string;
  /** Of the demo organization's user. */
  userPassword?: string;
};

export type Home = {
  path: string;
  file(...parts: string[]): string;
  readonly kept: Kept;
  keep(changes: Partial<Kept>): void;
};

const keptName = 'kept.json';
const folders = ['run', 'logs'];
/** What a start that was killed in that moment leaves. */
const triedName = '.try-';
const ours = [...folders, 'postgres', 'media', 'demo.json', keptName];
const word = () => randomBytes(24).toString('base64url');

/** Throws what is wrong with the directory, by the name of the setting that chooses it. */
export const openHome = (name: string): Home => inDirectory(resolve(name), opened);

function opened(path: string): Home {
  const file = (...parts: string[]) => join(path, ...parts);
  mkdirSync(path, { recursive: true, mode: 0o700 });
  const text = readIfThere(file(keptName));
  // A mistyped KANAL_HOME must not change, and later delete, another directory.
  if (text === undefined && readdirSync(path).some((name) => !name.startsWith(triedName)))
    throw new Error(`${path} holds something else: choose another KANAL_HOME`);
  tryToWrite(path);
  chmodSync(path, 0o700);
  // A home of an older version lacks newer values.
  let kept: Kept = { ...freshSecrets(), ...(text && JSON.parse(text)) };
  const keep = (changes: Partial<Kept>) => {
    kept = { ...kept, ...changes };
    writePrivate(file(keptName), `${JSON.stringify(kept, null, 2)}\n`);
  };
  if (!text || Object.keys(freshSecrets()).some((name) => !(name in JSON.parse(text)))) keep({});
  for (const folder of folders) {
    mkdirSync(file(folder), { recursive: true, mode: 0o700 });
    tryToWrite(file(folder));
  }
  return {
    path,
    file,
    keep,
    get kept() {
      return kept;
    },
  };
}

const tryToWrite = (path: string) => rmdirSync(mkdtempSync(join(path, triedName)));

/** A call of the system that is refused, as where the directory or a file in it is another user's. */
function inDirectory<Result>(path: string, work: (path: string) => Result): Result {
  try {
    return work(path);
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException;
    if (syscall === undefined) throw error;
    throw new Error(`${path} cannot be written (${code}): set KANAL_HOME to a directory of yours`);
  }
}

const freshSecrets = (): Kept => ({
  secretKey: randomBytes(32).toString('base64'),
  hashKey: randomBytes(32).toString('base64'),
  appSecret: word(),
  verifyToken: word(),
  serviceSecret: word(),
  operatorPassword: word(),
  metricsToken: word(),
  databasePassword: word(),
});

/** Deletes only what a start has written; the directory too, when nothing else is in it. */
export const deleteHome = (home: Home) => inDirectory(home.path, () => removed(home));

function removed(home: Home) {
  if (home.kept.serverDirectory) rmSync(home.kept.serverDirectory, { recursive: true, force: true });
  for (const name of ours) rmSync(home.file(name), { recursive: true, force: true });
  if (readdirSync(home.path).length === 0) rmdirSync(home.path);
}

/** Each start writes new logs and keeps those of the start before. */
export function turnLogs(home: Home) {
  for (const name of readdirSync(home.file('logs')).filter((log) => log.endsWith('.log')))
    renameSync(home.file('logs', name), home.file('logs', `${name}.1`));
}

export const hasHome = (name: string) => existsSync(join(resolve(name), keptName));
