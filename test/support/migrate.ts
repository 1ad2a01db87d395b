import { MikroORM } from '@mikro-orm/postgresql';
import { ormOptions } from '../../src/orm.ts';
import { postgresBackend } from '../../src/platform/ledger/backends/postgres.ts';
import { collectingLog } from './log.ts';

/** All migrations and the queue's schema, as the release process does it. */
export async function migrate(databaseUrl: string): Promise<void> {
  const orm = await MikroORM.init({ ...ormOptions, clientUrl: databaseUrl, logger: () => undefined });
  await orm.migrator.up();
  await orm.close();
  const backend = postgresBackend(databaseUrl, 1, collectingLog().log);
  await backend.migrate();
  await backend.close();
}
