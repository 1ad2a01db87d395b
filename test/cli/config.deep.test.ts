import { spawnSync } from 'node:child_process';
import { expect, test } from '@jest/globals';
import { cleanEnvironment, root } from './command.ts';

test('a process reports all errors of its configuration, without a value', async () => {
  const env = { ...cleanEnvironment(), DATABASE_URL: 'mysql://secret', UNKNOWN_WINDOW: '0' };
  const result = spawnSync(process.execPath, ['api/main.ts'], { cwd: root, encoding: 'utf8', env });
  expect(result).toMatchObject({ status: 1, stdout: '' });
  for (const name of ['DATABASE_URL', 'SECRET_KEY', 'UNKNOWN_WINDOW']) expect(result.stderr).toContain(name);
  expect(result.stderr).not.toContain('mysql://secret');
});
