import { chmodSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Plugin } from 'esbuild';
import {
  bundledHere,
  bundledNames,
  bundledPackages,
  bundleFolder,
  bundleOf,
  isBundled,
  madeOf,
} from '../src/platform/process/bundled-packages.ts';

/* Runs after an install and before the tests (after-install.cjs). Needs nothing but the packages. */

const root = join(import.meta.dirname, '..');
const packageOf = (name: string) => name.split('/', name.startsWith('@') ? 2 : 1).join('/');

/** Each name is an entry of its own that shares code with the others; every other package stays where it is. */
const onlyThese: Plugin = {
  name: 'only-these',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /./ }, ({ path, kind }) => {
      if (kind === 'entry-point') return { path, namespace: 'entry' };
      return /^[./]/.test(path) || bundledPackages.includes(packageOf(path)) ? undefined : { path, external: true };
    });
    onLoad({ filter: /./, namespace: 'entry' }, ({ path }) => ({ contents: `export * from '${path}';`, resolveDir: root }));
  },
};

async function bundle(): Promise<void> {
  const { build } = await import('esbuild');
  // Two installs at once must not write into one folder.
  mkdirSync(dirname(bundleFolder), { recursive: true });
  const made = mkdtempSync(`${bundleFolder}-`);
  try {
    // The processes may be another user's than the install, as in the image.
    chmodSync(made, 0o755);
    await build({
      absWorkingDir: root,
      entryPoints: bundledNames.map((name) => ({ in: name, out: bundleOf(name) })),
      outdir: made,
      outExtension: { '.js': '.mjs' },
      bundle: true,
      splitting: true,
      format: 'esm',
      platform: 'node',
      target: 'node24',
      // MikroORM tells some of its classes by their names, and errors show theirs.
      keepNames: true,
      legalComments: 'linked',
      logLevel: 'error',
      plugins: [onlyThese],
    });
    writeFileSync(join(made, madeOf), bundledHere());
    rmSync(bundleFolder, { recursive: true, force: true });
    renameSync(made, bundleFolder);
  } finally {
    rmSync(made, { recursive: true, force: true });
  }
}

if (!isBundled()) await bundle();
