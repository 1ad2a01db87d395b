import { ormOptions } from './orm.ts';
import type { Database } from './platform/database/database.ts';
import { type DatabaseOptions, openDatabase as open } from './platform/database/open.ts';

/** The one place that knows all entities: every process opens the database here. */
export const openDatabase = (options: DatabaseOptions): Promise<Database> => open(ormOptions, options);
