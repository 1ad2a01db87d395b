import type pg from 'pg';
import { atOnce } from './at-once.ts';

type Made = { table: string; name: string; make: string; drop: string };

/** Constraints with an index and indexes without one, as the migrations made them, whatever they are. */
const keysAndIndexes = `
  select i.indrelid::regclass::text as table, x.relname as name,
         case when c.oid is null then pg_get_indexdef(i.indexrelid)
              else format('alter table %s add constraint %I %s', i.indrelid::regclass, c.conname, pg_get_constraintdef(c.oid))
         end as make,
         case when c.oid is null then format('drop index %I', x.relname)
              else format('alter table %s drop constraint %I', i.indrelid::regclass, c.conname)
         end as drop
    from pg_index i
    join pg_class x on x.oid = i.indexrelid
    left join pg_constraint c on c.conindid = i.indexrelid and c.conrelid = i.indrelid and c.contype in ('p', 'u', 'x')
   where i.indrelid = any($1::regclass[])`;

/** Not checked again when they are made: the rows are right by the way they are made. */
const references = `
  select conrelid::regclass::text as table, conname as name,
         format('alter table %s add constraint %I %s not valid', conrelid::regclass, conname, pg_get_constraintdef(oid)) as make,
         format('alter table %s drop constraint %I', conrelid::regclass, conname) as drop
    from pg_constraint
   where contype = 'f' and (conrelid = any($1::regclass[]) or confrelid = any($1::regclass[]))`;

/** Takes keys, indexes and references of the tables away; the answer makes them again, `connections` of them at a time. */
export async function withoutIndexes(pool: pg.Pool, tables: string[], connections: number): Promise<() => Promise<void>> {
  const read = async (statement: string) => (await pool.query<Made>(statement, [tables])).rows;
  const [indexes, foreign] = [await read(keysAndIndexes), await read(references)];
  for (const { drop } of [...foreign, ...indexes]) await pool.query(drop);
  for (const table of tables) await pool.query(`alter table ${table} set (autovacuum_enabled = off)`);
  return async () => {
    const byTable = [...Map.groupBy(indexes, ({ table }) => table).values()];
    // Two constraints of one table cannot be made at the same time.
    await atOnce(pool, connections, byTable, async (client, own) => {
      for (const { make } of own) await client.query(make);
    });
    for (const { make } of foreign) await pool.query(make);
    for (const table of tables) await pool.query(`alter table ${table} reset (autovacuum_enabled)`);
    await atOnce(pool, connections, tables, (client, table) => client.query(`vacuum (freeze, analyze) ${table}`));
  };
}
