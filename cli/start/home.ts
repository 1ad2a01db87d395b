import { randomBytes } from 'node:crypto';
import { accessSync, chmodSync, constants, existsSync, mkdirSync, readdirSync, renameSync, rmdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { readIfThere, writePrivate } from './files.ts';

/** What the first start makes up and every later one finds again. */
export type Kept = {
  secretKey: string;
  hashKey: string;
  appSecret: string;
  verifyToken: string;
  operatorPassword: string;
  databasePassword: string;
  databasePort?: number;
  /** Where the database lives when its user cannot reach the home. */
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
const folders = ['run', 'logs', 'cache'];
const ours = [...folders, 'postgres', 'demo.json', keptName];
const word = () => randomBytes(24).toString('base64url');

export function openHome(name: string): Home {
  const path = resolve(name);
  const file = (...parts: string[]) => join(path, ...parts);
  makeDirectory(path);
  const text = readIfThere(file(keptName));
  // A mistyped KANAL_HOME must not close, and later delete, somebody's directory.
  if (text === undefined && readdirSync(path).length > 0)
    throw new Error(`${path} holds something else: choose another KANAL_HOME`);
  chmodSync(path, 0o700);
  // A home of an older version lacks what came since.
  let kept: Kept = { ...freshSecrets(), ...(text && JSON.parse(text)) };
  const keep = (changes: Partial<Kept>) => {
    kept = { ...kept, ...changes };
    writePrivate(file(keptName), `${JSON.stringify(kept, null, 2)}\n`);
  };
  if (!text || !JSON.parse(text).hashKey) keep({});
  for (const folder of folders) mkdirSync(file(folder), { recursive: true, mode: 0o700 });
  return {
    path,
    file,
    keep,
    get kept() {
      return kept;
    },
  };
}

function makeDirectory(path: string) {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    accessSync(path, constants.W_OK);
  } catch (error) {
    throw new Error(
      `${path} cannot be written (${(error as NodeJS.ErrnoException).code}): set KANAL_HOME to a directory of yours`,
    );
  }
}

const freshSecrets = (): Kept => ({
  secretKey: randomBytes(32).toString('base64'),
  hashKey: randomBytes(32).toString('base64'),
  appSecret: word(),
  verifyToken: word(),
  operatorPassword: word(),
  databasePassword: word(),
});

/** Only what a start has put there goes; the directory too, when nothing else is in it. */
export function deleteHome(home: Home) {
  if (home.kept.serverDirectory) rmSync(home.kept.serverDirectory, { recursive: true, force: true });
  for (const name of ours) rmSync(home.file(name), { recursive: true, force: true });
  if (readdirSync(home.path).length === 0) rmdirSync(home.path);
}

/** Each start writes fresh logs and leaves those of the one before. */
export function turnLogs(home: Home) {
  for (const name of readdirSync(home.file('logs')).filter((log) => log.endsWith('.log')))
    renameSync(home.file('logs', name), home.file('logs', `${name}.1`));
}

export const hasHome = (name: string) => existsSync(join(resolve(name), keptName));
