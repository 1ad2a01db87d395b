import { ormOptions } from './orm.ts';
import type { Database } from './platform/database/database.ts';
import { type DatabaseOptions, openDatabase as open } from './platform/database/open.ts';

/** Every process opens the database through this: the one place that knows all entities. */
export const openDatabase = (options: DatabaseOptions): Promise<Database> => open(ormOptions, options);
