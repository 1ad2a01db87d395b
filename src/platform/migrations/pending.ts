import type { Database } from '../database/database.ts';

let isUpToDate = false;

/** Whether the database lacks migrations of this code. Once it has them the answer is kept: no migration is undone under a running process. */
export async function migrationsPending(database: Database): Promise<boolean> {
  if (!isUpToDate) isUpToDate = (await database.orm.migrator.getPending()).length === 0;
  return !isUpToDate;
}
