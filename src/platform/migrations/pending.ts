import type { Database } from '../database/database.ts';

let isUpToDate = false;

/** Whether this code expects tables the database does not have. Asked until it is not so; migrations are never taken back under a running process. */
export async function migrationsPending(database: Database): Promise<boolean> {
  if (!isUpToDate) isUpToDate = (await database.orm.migrator.getPending()).length === 0;
  return !isUpToDate;
}
