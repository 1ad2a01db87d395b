import { expect, test } from '@jest/globals';
import { useEmptyDatabase } from './empty-database.ts';
import { inProcessOn } from './in-process.ts';

const database = useEmptyDatabase();

test('migrates an empty database, and finds nothing to do when it runs again', async () => {
  const kanal = inProcessOn(database.url());
  const first = await kanal('migrate');
  expect(first).toMatchObject({ code: 0, stderr: '' });
  expect(first.stdout).toContain('applied 20261121000000-organizations');
  expect((await kanal('migrate')).stdout).toBe('The database is up to date\n');
  expect(await database.schemas()).toEqual({ jobs: true, queue: true });
});

test('a database that is away is said to be away', async () => {
  const result = await inProcessOn('postgres://nobody@127.0.0.1:1/none')('migrate');
  expect(result).toEqual({ code: 1, stdout: '', stderr: expect.stringMatching(/^The database cannot be reached: .*\n$/) });
});
