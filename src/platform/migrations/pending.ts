import type { Database } from '../database/database.ts';
import { isMissingTable } from '../database/errors.ts';
import { query } from '../database/query.ts';
import { migrationNames } from './names.ts';

let isUpToDate = false;

/** SQL: a table of the migrator, which web and workers do not load. */
const doneStatement = 'select name from mikro_orm_migrations';

/**
 * Whether the database lacks migrations of this code; rejects when it does not answer. Once it has them the answer is kept: no migration
 * is undone under a running process.
 */
export async function migrationsPending(database: Database): Promise<boolean> {
  if (isUpToDate) {
    await database.ping();
    return false;
  }
  const done = new Set(await namesOfDone(database));
  isUpToDate = migrationNames().every((name) => done.has(name));
  return !isUpToDate;
}

async function namesOfDone(database: Database): Promise<string[]> {
  try {
    return (await query<{ name: string }>(database.em(), doneStatement)).map(({ name }) => name);
  } catch (error) {
    // Nothing has migrated this database yet.
    if (isMissingTable(error)) return [];
    throw error;
  }
}
