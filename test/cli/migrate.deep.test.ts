import { expect, test } from '@jest/globals';
import { commandOn } from './command.ts';
import { useEmptyDatabase } from './empty-database.ts';

const database = useEmptyDatabase();

test('two processes that run concurrently migrate an empty database once, and a third finds nothing to do', async () => {
  const kanal = commandOn(database.url());
  const both = await Promise.all([kanal('migrate'), kanal('migrate')]);
  expect(both.map(({ code, stderr }) => ({ code, stderr }))).toEqual([
    { code: 0, stderr: '' },
    { code: 0, stderr: '' },
  ]);
  expect(both.filter(({ stdout }) => stdout.includes('applied 20261121000000-organizations'))).toHaveLength(1);
  expect((await kanal('migrate')).stdout).toBe('The database is up to date\n');
  expect(await database.schemas()).toEqual({ jobs: true, queue: true });
});
