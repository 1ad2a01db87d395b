import { ormOptions } from './src/orm.ts';
import { readConfig } from './src/platform/config/config.ts';

/** For MikroORM's own command line; the processes open the database through src/open-database.ts. */
export default { ...ormOptions, clientUrl: readConfig().databaseUrl };
