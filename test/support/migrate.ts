import { MikroORM } from '@mikro-orm/postgresql';
import { migratingOptions } from '../../src/migrations.ts';
import { postgresBackend } from '../../src/platform/ledger/backends/postgres.ts';
import { collectingLog } from './log.ts';

export async function migrateTables(databaseUrl: string): Promise<void> {
  const orm = await MikroORM.init({ ...(await migratingOptions()), clientUrl: databaseUrl, logger: () => undefined });
  await orm.migrator.up();
  await orm.close();
}

/** All migrations and the queue's schema, as the release process does it. */
export async function migrate(databaseUrl: string): Promise<void> {
  await migrateTables(databaseUrl);
  const backend = postgresBackend(databaseUrl, 1, collectingLog().log);
  await backend.migrate();
  await backend.close();
}
