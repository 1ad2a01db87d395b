import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { openDatabase } from '../../../../src/open-database.ts';
import type { Database } from '../../../../src/platform/database/database.ts';
import { query } from '../../../../src/platform/database/query.ts';
import { migrationNames } from '../../../../src/platform/migrations/names.ts';
import { createTestDatabase } from '../../../support/database.ts';
import { collectingLog } from '../../../support/log.ts';

// A module of its own: the one that other files of this process ask may know the answer already.
const { migrationsPending }: typeof import('../../../../src/platform/migrations/pending.ts') = await import(
  `${import.meta.resolve('../../../../src/platform/migrations/pending.ts')}?own`
);

let database: Database;
let drop: () => Promise<void>;
const run = (text: string, params: unknown[] = []) => query<{ name: string }>(database.em(), text, params);

beforeAll(async () => {
  const created = await createTestDatabase();
  drop = created.drop;
  database = await openDatabase({ url: created.url, poolMax: 2, applicationName: 'kanal-test', log: collectingLog().log });
});
afterAll(async () => {
  await database.close();
  await drop();
});

test('the migrator writes down the names of the files, in their order', async () => {
  const done = await run('select name from mikro_orm_migrations order by id');
  expect(done.map(({ name }) => name)).toEqual(migrationNames());
});

// In this order: once the answer is no, it is kept.
test('migrations are pending in a database that nothing has migrated', async () => {
  await run('alter table mikro_orm_migrations rename to elsewhere');
  expect(await migrationsPending(database)).toBe(true);
  await run('alter table elsewhere rename to mikro_orm_migrations');
});

test('migrations are pending while one is missing, and no longer', async () => {
  const last = migrationNames().at(-1)!;
  await run('delete from mikro_orm_migrations where name = $1', [last]);
  expect(await migrationsPending(database)).toBe(true);
  await run('insert into mikro_orm_migrations (name) values ($1)', [last]);
  expect(await migrationsPending(database)).toBe(false);
});

test('a migration of newer code is not missed by this one', async () => {
  await run(`insert into mikro_orm_migrations (name) values ('99991231000000-newer')`);
  expect(await migrationsPending(database)).toBe(false);
});
