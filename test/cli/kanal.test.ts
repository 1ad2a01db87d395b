import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { cleanEnvironment, root } from './command.ts';

const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const kanal = (...args: string[]) => spawnSync('cli/kanal.cjs', args, { cwd: root, encoding: 'utf8', env: cleanEnvironment() });

test('the launcher prints the version', () => {
  expect(kanal('--version')).toMatchObject({ status: 0, stdout: `${version}\n`, stderr: '' });
});

test('the exit code of a command is that of its launcher', () => {
  const { status, stderr } = kanal('nothing');
  expect(status).toBe(1);
  expect(stderr).toMatch(/unknown command 'nothing'/);
});
