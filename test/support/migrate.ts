import { MikroORM } from '@mikro-orm/postgresql';
import { migratingOptions } from '../../src/migrations.ts';
import { postgresBackend } from '../../src/platform/ledger/backends/postgres.ts';
import { collectingLog } from './log.ts';

/** All migrations, as the release process does it. */
export async function migrateTables(databaseUrl: string): Promise<void> {
  const orm = await MikroORM.init({ ...(await migratingOptions()), clientUrl: databaseUrl, logger: () => undefined });
  await orm.migrator.up();
  await orm.close();
}

/** With the queue's schema. */
export async function migrate(databaseUrl: string): Promise<void> {
  await migrateTables(databaseUrl);
  await migrateQueue(databaseUrl);
}

/** The queue's schema alone. */
export async function migrateQueue(databaseUrl: string): Promise<void> {
  const backend = postgresBackend(databaseUrl, 1, collectingLog().log);
  await backend.migrate();
  await backend.close();
}
