import { readConfig } from './src/config.ts';
import { ormOptions } from './src/orm.ts';

/** For MikroORM's own command line; the processes open the database through src/database.ts. */
export default { ...ormOptions, clientUrl: readConfig().databaseUrl };
