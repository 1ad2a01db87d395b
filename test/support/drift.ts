import { MikroORM } from '@mikro-orm/postgresql';
import type pg from 'pg';
import { ormOptions } from '../../src/orm.ts';

type Entities = typeof ormOptions.entities;

/** MikroORM's own. */
const migrationsTable = 'mikro_orm_migrations';

/** What the catalogue says of a schema's tables, columns, primary keys and lists of allowed values, in the database's own words. */
const facts = `
  with tables as (
    select oid, relname as name from pg_class
     where relnamespace = $1::regnamespace and relkind = 'r' and relname <> '${migrationsTable}')
  select name, 'table' as fact from tables
  union all
  select t.name || '.' || a.attname,
         concat_ws(' ', format_type(a.atttypid, a.atttypmod),
           case when a.attnotnull then 'not null' else 'null' end,
           'generated ' || nullif(a.attgenerated::text, ''),
           'identity ' || nullif(a.attidentity::text, ''),
           'default ' || pg_get_expr(d.adbin, d.adrelid))
    from tables t
    join pg_attribute a on a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped
    left join pg_attrdef d on d.adrelid = t.oid and d.adnum = a.attnum
  union all
  select t.name || '.' || columns.names || case k.contype when 'p' then ' (primary key)' else ' (values)' end, pg_get_constraintdef(k.oid)
    from tables t
    join pg_constraint k on k.conrelid = t.oid
    cross join lateral (
      select string_agg(attname, ', ' order by attname) as names from pg_attribute where attrelid = t.oid and attnum = any(k.conkey)) columns
   where k.contype = 'p' or (k.contype = 'c' and pg_get_constraintdef(k.oid) like '%= ANY%')`;

/** The statements that create the tables entities describe: columns only, since references and indexes are the migrations' affair. */
async function tablesOf(entities: Entities): Promise<string> {
  const orm = await MikroORM.init({ ...ormOptions, entities, dbName: 'none', logger: () => undefined });
  try {
    return await orm.schema.getCreateSchemaSQL({ wrap: false });
  } finally {
    await orm.close();
  }
}

async function factsOf(client: pg.Client, schema: string): Promise<Map<string, string>> {
  const { rows } = await client.query<{ name: string; fact: string }>(facts, [schema]);
  return new Map(rows.map(({ name, fact }) => [name, fact]));
}

/**
 * The differences between entities and a database, a line each, found in the caller's transaction. The tables that the entities describe are
 * created in a schema of their own for that time: the database itself says what a type or a default means, and both sides are read the same way.
 */
export async function driftOf(entities: Entities, client: pg.Client): Promise<string[]> {
  await client.query('create schema of_entities');
  await client.query(`set local search_path to of_entities, public; ${await tablesOf(entities)}`);
  const [described, found] = [await factsOf(client, 'of_entities'), await factsOf(client, 'public')];
  await client.query('set local search_path to public; drop schema of_entities cascade');
  const names = [...new Set([...described.keys(), ...found.keys()])].sort();
  return names
    .filter((name) => described.get(name) !== found.get(name))
    .map((name) => `${name}: entity ${described.get(name) ?? 'has none'}, database ${found.get(name) ?? 'has none'}`);
}
