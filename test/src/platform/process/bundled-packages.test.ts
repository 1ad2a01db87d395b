import { execFile } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, test } from '@jest/globals';
import {
  bundledNames,
  bundledPackages,
  bundleFolder,
  isBundled,
  madeOf,
} from '../../../../src/platform/process/bundled-packages.ts';
import { root } from '../../../cli/command.ts';

const folder = mkdtempSync(join(tmpdir(), 'kanal-bundled-'));
afterAll(() => rmSync(folder, { recursive: true }));
const file = join(root, 'src/platform/process/bundled-packages.ts');

/** Where a process that uses the bundle in `from` has each package from. */
async function origins(from: string): Promise<Record<string, string>> {
  const script = `
    import { useBundledPackages } from '${file}';
    useBundledPackages('${from}');
    const found = {};
    for (const name of ${JSON.stringify(bundledPackages)}) found[name] = import.meta.resolve(name);
    console.log(JSON.stringify(found));`;
  const run = promisify(execFile);
  return JSON.parse((await run(process.execPath, ['--input-type=module', '-e', script], { cwd: root })).stdout);
}

test('an install has bundled the versions that are installed', async () => {
  expect(isBundled()).toBe(true);
  // By whoever runs the processes, too.
  expect(statSync(bundleFolder).mode & 0o777).toBe(0o755);
  for (const url of Object.values(await origins(bundleFolder))) expect(url).toContain('.cache/kanal-packages/');
});

test.each([
  ['other versions', 'kysely 0.0.1\n'],
  ['nothing', undefined],
])('a bundle of %s is not used', async (_what, text) => {
  if (text !== undefined) writeFileSync(join(folder, madeOf), text);
  for (const [name, url] of Object.entries(await origins(folder))) expect(url).toContain(`node_modules/${name}/`);
});

test('what our code and the packages outside of the bundle import of these packages is in it', () => {
  const outside = ['src/**/*.ts', 'api/**/*.ts', 'workers/**/*.ts', 'cli/**/*.ts', 'node_modules/@mikro-orm/migrations/**/*.js'];
  const names = new Set<string>();
  for (const path of outside.flatMap((pattern) => globSync(pattern, { cwd: root })))
    for (const [, name, owner] of readFileSync(join(root, path), 'utf8').matchAll(
      /(?:from|import\()\s*['"]((@mikro-orm\/[\w-]+|kysely)[\w/-]*)['"]/g,
    ))
      if (bundledPackages.includes(owner!)) names.add(name!);
  expect(names.size).toBeGreaterThan(4);
  expect([...names].filter((name) => !bundledNames.includes(name))).toEqual([]);
});

test('a class is the same one by whatever name it came', async () => {
  const script = `
    import { useBundledPackages } from '${file}';
    useBundledPackages();
    const [core, base, sql, postgresql, migrations] = await Promise.all(
      ['core', 'core/migrations', 'sql', 'postgresql', 'migrations'].map((name) => import('@mikro-orm/' + name)),
    );
    const parentOf = (one) => Object.getPrototypeOf(one);
    console.log(parentOf(sql.SqlEntityManager) === core.EntityManager);
    console.log(parentOf(postgresql.PostgreSqlDriver) === sql.AbstractSqlDriver);
    console.log(migrations.Migrator.prototype instanceof base.AbstractMigrator);
    console.log(postgresql.EntityManager.prototype instanceof core.EntityManager);
    console.log([core.EntitySchema.name, core.ValidationError.name].join() === 'EntitySchema,ValidationError');`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], { cwd: root });
  expect(stdout).toBe('true\n'.repeat(5));
});
