import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { cleanEnvironment, root } from './command.ts';

const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const kanal = (line: string) =>
  spawnSync('sh', ['-c', line], {
    cwd: root,
    encoding: 'utf8',
    env: { ...cleanEnvironment(), npm_config_loglevel: 'silent', npm_config_offline: 'true' },
  });

test.each(['npx kanal --version', 'npm run --silent kanal -- --version', 'cli/kanal.cjs --version'])(
  '%s prints the version',
  (line) => {
    expect(kanal(line)).toMatchObject({ status: 0, stdout: `${version}\n`, stderr: '' });
  },
);

test('the exit code of a command is that of its launcher', () => {
  const { status, stderr } = kanal('cli/kanal.cjs nothing');
  expect(status).toBe(1);
  expect(stderr).toMatch(/unknown command 'nothing'/);
});

test('a reader that closes the pipe is no error', () => {
  expect(kanal('cli/kanal.cjs openapi | head -c 1')).toMatchObject({ status: 0, stdout: '{', stderr: '' });
});
