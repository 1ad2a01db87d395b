import { type Migration, Migrator } from '@mikro-orm/migrations';
import { defineConfig } from '@mikro-orm/postgresql';
import { ormOptions } from './orm.ts';
import { migrationNames } from './platform/migrations/names.ts';

type MigrationFile = Record<string, new (...made: ConstructorParameters<typeof Migration>) => Migration>;

/** Each file exports its one class. */
async function migrationOf(name: string) {
  const file: MigrationFile = await import(`./platform/migrations/${name}.ts`);
  return { name, class: Object.values(file)[0]! };
}

/** For what migrates. Web and workers only ask whether a migration is pending: they load neither the migrator nor the migrations. */
export const migratingOptions = async () =>
  defineConfig({
    ...ormOptions,
    extensions: [Migrator],
    migrations: {
      migrationsList: await Promise.all(migrationNames().map(migrationOf)),
      snapshot: false,
      transactional: true,
      allOrNothing: true,
      disableForeignKeys: false,
    },
  });
