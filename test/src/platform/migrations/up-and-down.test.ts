import { expect, test } from '@jest/globals';
import { MikroORM } from '@mikro-orm/postgresql';
import pg from 'pg';
import { migratingOptions } from '../../../../src/migrations.ts';
import { createTestDatabase } from '../../../support/database.ts';

const shape = `select c.relname as name, pg_get_indexdef(c.oid) as definition from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where n.nspname = 'public' and c.relkind in ('r', 'i', 'S') order by 1`;

test('every migration goes down to nothing, and up again to the same tables and indexes', async () => {
  const { url, drop } = await createTestDatabase();
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const orm = await MikroORM.init({ ...(await migratingOptions()), clientUrl: url, logger: () => undefined });
  try {
    const { rows: before } = await client.query(shape);
    const applied = await orm.migrator.getExecuted();
    for (const _ of applied) await orm.migrator.down();
    const { rows: left } = await client.query(shape);
    expect(left.map(({ name }) => name).filter((name) => !name.startsWith('mikro_orm_migrations'))).toEqual([]);
    expect(await orm.migrator.up()).toHaveLength(applied.length);
    expect((await client.query(shape)).rows).toEqual(before);
  } finally {
    await orm.close();
    await client.end();
    await drop();
  }
});
