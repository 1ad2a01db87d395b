import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { cleanEnvironment, root } from './command.ts';

const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const kanal = (line: string) =>
  spawnSync('sh', ['-c', line], {
    cwd: root,
    encoding: 'utf8',
    env: { ...cleanEnvironment(), npm_config_loglevel: 'silent', npm_config_offline: 'true' },
  });

const place = mkdtempSync(join(tmpdir(), 'kanal-launcher-'));
afterAll(() => rmSync(place, { recursive: true, force: true }));

test.each(['npx kanal --version', 'npm run --silent kanal -- --version'])('%s prints the version', (line) => {
  expect(kanal(line)).toMatchObject({ status: 0, stdout: `${version}\n`, stderr: '' });
});

test.each([
  ['the launcher', 'cli/kanal.cjs', []],
  ['the command itself', process.execPath, ['cli/main.ts']],
])('a reader that closes the pipe is no error of %s', async (_what, program, args) => {
  const child = spawn(program, [...args, 'openapi'], { cwd: root, env: cleanEnvironment() });
  let said = '';
  child.stderr.on('data', (chunk) => (said += chunk));
  const ended = once(child, 'exit');
  await once(child.stdout, 'data');
  child.stdout.destroy();
  expect(await ended).toEqual([0, null]);
  expect(said).toBe('');
});

/** What one says of itself that came before the pinned one; `execPath` is none that runs. */
const disguise = join(place, 'node-20.cjs');
writeFileSync(
  disguise,
  `Object.defineProperty(process, 'version', { value: 'v20.1.0' });
Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.1.0' } });
process.execPath = '/nowhere/node';
`,
);
/** Without the folders in which npm puts the pinned one. */
const folders = (cleanEnvironment().PATH ?? '').split(delimiter).filter((folder) => !folder.includes('node_modules'));
const majorOf = (node: string) => Number(spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout?.slice(1).split('.')[0]);
const ofMachine = folders.map((folder) => join(folder, 'node')).find((node) => existsSync(node) && majorOf(node) < 24);
const older: [what: string, node: string, args: string[]][] = [
  ['one that says it is', process.execPath, ['-r', disguise]],
  ...(ofMachine ? [["the machine's", ofMachine, []] as (typeof older)[number]] : []),
];

test.each(older)('by an older Node, %s, a command runs with the pinned one', (_what, node, args) => {
  const env = { ...cleanEnvironment(), PATH: folders.join(delimiter) };
  const ran = spawnSync(node, [...args, 'cli/kanal.cjs', '--version'], { cwd: root, env, encoding: 'utf8' });
  expect(ran).toMatchObject({ status: 0, stdout: `${version}\n`, stderr: '' });
});

test.each(older)('where the packages are missing, an older Node, %s, is told what brings it', (_what, node, args) => {
  const launcher = join(place, 'cli', 'kanal.cjs');
  mkdirSync(join(place, 'cli'), { recursive: true });
  copyFileSync(join(root, 'cli/kanal.cjs'), launcher);
  const ran = spawnSync(node, [...args, launcher, '--version'], { env: cleanEnvironment(), encoding: 'utf8' });
  expect(ran).toMatchObject({ status: 1, stdout: '' });
  expect(ran.stderr).toMatch(
    /^Kanal runs on Node 24, this is v\d+\.\d+\.\d+: install the packages with npm ci, which brings it\.\n$/,
  );
});
