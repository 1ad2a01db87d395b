import { migratingOptions } from './src/migrations.ts';
import { readConfig } from './src/platform/config/config.ts';

/** For MikroORM's own command line; the processes open the database through src/open-database.ts. */
export default { ...(await migratingOptions()), clientUrl: readConfig().databaseUrl };
