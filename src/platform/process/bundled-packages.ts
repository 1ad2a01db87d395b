import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const packages = join(import.meta.dirname, '../../../node_modules');
/** Beside the packages: as trusted as they are, and removed with them. */
export const bundleFolder = join(packages, '.cache/kanal-packages');

/** Four hundred small files that every start loads, a fifth of its time: an install makes a few large ones of them (cli/bundle-packages.ts). */
export const bundledPackages = ['kysely', '@mikro-orm/core', '@mikro-orm/sql', '@mikro-orm/postgresql'];
/** All names they are imported by: what came by another one would be there a second time, with classes of its own. */
export const bundledNames = [
  'kysely',
  'kysely/helpers/postgres',
  'kysely/migration',
  '@mikro-orm/core',
  '@mikro-orm/core/dataloader',
  '@mikro-orm/core/file-discovery',
  '@mikro-orm/core/fs-utils',
  '@mikro-orm/core/migrations',
  '@mikro-orm/core/schema',
  '@mikro-orm/sql',
  '@mikro-orm/postgresql',
];

export const bundleOf = (name: string) => name.replaceAll('/', '+');
/** What a bundle was made of. */
export const madeOf = 'made-of.txt';
/** One more whenever cli/bundle-packages.ts makes something else of the same packages. */
const form = 2;

export function bundledHere(): string {
  const versionOf = (name: string) => JSON.parse(readFileSync(join(packages, name, 'package.json'), 'utf8')).version;
  return [`form ${form}`, ...bundledPackages.map((name) => `${name} ${versionOf(name)}`), ...bundledNames, ''].join('\n');
}

export function isBundled(folder = bundleFolder): boolean {
  try {
    return readFileSync(join(folder, madeOf), 'utf8') === bundledHere();
  } catch {
    return false;
  }
}

/** From the next import on, in this process. Without a bundle of the installed versions each file is loaded by itself, as ever. */
export function useBundledPackages(folder = bundleFolder): void {
  if (!isBundled(folder)) return;
  const urls = new Map(bundledNames.map((name) => [name, pathToFileURL(join(folder, `${bundleOf(name)}.mjs`)).href]));
  registerHooks({
    resolve(name, context, next) {
      const url = urls.get(name);
      return url ? { url, format: 'module', shortCircuit: true } : next(name, context);
    },
  });
}
