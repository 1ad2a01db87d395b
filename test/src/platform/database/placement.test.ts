import { afterAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { placements, sequences, uniqueOverAll } from '../../../../src/platform/database/placement.ts';
import { createTestDatabase } from '../../../support/database.ts';

const { url, drop } = await createTestDatabase();
const client = new pg.Client({ connectionString: url });
await client.connect();
afterAll(async () => {
  await client.end();
  await drop();
});

const rowsOf = async <Row extends object>(text: string): Promise<Row[]> => (await client.query(text)).rows;

type Table = { name: string; has_organization: boolean };
type Unique = { table: string; name: string; columns: string[]; is_primary: boolean };
type Reference = { table: string; name: string; target: string; columns: string[]; targets: string[]; clears: string[] };

const tables = () =>
  rowsOf<Table>(`
    select c.relname as name,
           exists (select 1 from pg_attribute a
                    where a.attrelid = c.oid and a.attname = 'organization_id' and a.attnotnull) as has_organization
      from pg_class c
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
     order by 1`);

const uniques = () =>
  rowsOf<Unique>(`
    select i.indrelid::regclass::text as table, i.indexrelid::regclass::text as name, i.indisprimary as is_primary,
           array(select pg_get_indexdef(i.indexrelid, n, true) from generate_series(1, i.indnkeyatts) n) as columns
      from pg_index i
      join pg_class c on c.oid = i.indrelid and c.relnamespace = 'public'::regnamespace
     where i.indisunique
     order by 2`);

const namesOf = (numbers: string, table: string) => `
  array(select a.attname::text
          from unnest(${numbers}) with ordinality x(number, place)
          join pg_attribute a on a.attrelid = ${table} and a.attnum = x.number
         order by x.place)`;
const references = () =>
  rowsOf<Reference>(`
    select k.conrelid::regclass::text as table, k.conname as name, k.confrelid::regclass::text as target,
           ${namesOf('k.conkey', 'k.conrelid')} as columns,
           ${namesOf('k.confkey', 'k.confrelid')} as targets,
           ${namesOf('k.confdelsetcols', 'k.conrelid')} as clears
      from pg_constraint k
     where k.contype = 'f' and k.connamespace = 'public'::regnamespace
     order by 2`);

const isDistributed = (table: string) => !(table in placements);
const placementOf = (table: string) => placements[table]?.placement ?? 'distributed';

/** Every break of the rules of a database that is distributed by organization, in a line. */
async function breaks(): Promise<string[]> {
  const lines: string[] = [];
  for (const { name, has_organization } of await tables())
    if (isDistributed(name) && !has_organization) lines.push(`${name} has no organization_id that is never null`);
  const keys = await uniques();
  for (const { table, name, columns } of keys) {
    if (isDistributed(table) && columns[0] !== 'organization_id') lines.push(`${name} does not begin with organization_id`);
  }
  for (const { name } of (await tables()).filter((one) => isDistributed(one.name)))
    if (!keys.some(({ table, is_primary }) => table === name && is_primary)) lines.push(`${name} has no primary key`);
  const mayReferTo: Record<string, string[]> = {
    distributed: ['distributed', 'reference'],
    reference: ['reference'],
    local: ['reference', 'local'],
  };
  for (const { table, name, target, columns, targets, clears } of await references()) {
    const [from, to] = [placementOf(table), placementOf(target)];
    if (!mayReferTo[from]!.includes(to)) lines.push(`${name}: ${from} ${table} refers to ${to} ${target}`);
    if (to === 'distributed' && (columns[0] !== 'organization_id' || targets[0] !== 'organization_id'))
      lines.push(`${name} does not begin with organization_id`);
    if (from === 'distributed' && clears.includes('organization_id')) lines.push(`${name} clears organization_id`);
  }
  return lines;
}

async function breaksAfter(change: string) {
  await client.query('begin');
  try {
    await client.query(change);
    return await breaks();
  } finally {
    await client.query('rollback');
  }
}

test('every table but the named ones can be distributed by organization', async () => {
  expect(await breaks()).toEqual([]);
});

test('the list names tables that exist', async () => {
  const names = (await tables()).map(({ name }) => name);
  expect(Object.keys(placements).filter((name) => !names.includes(name))).toEqual([]);
});

test('a key of an organization begins with it in reference and local tables too, but for those that are looked up before', async () => {
  const owned = (await tables()).filter(({ name, has_organization }) => has_organization && !isDistributed(name));
  const others = (await uniques()).filter(
    ({ table, columns }) => owned.some(({ name }) => name === table) && columns[0] !== 'organization_id',
  );
  expect(others.map(({ name }) => name).filter((name) => !uniqueOverAll.includes(name))).toEqual([]);
});

test('what is unique over all organizations is unique in a table with a copy on each node, or in a local one', async () => {
  const all = await uniques();
  const found = uniqueOverAll.map((name) => all.find((unique) => unique.name === name));
  expect(found.filter((unique) => unique === undefined || isDistributed(unique.table))).toEqual([]);
});

test('no table but pools and those named is without a reference to its organization', async () => {
  const referring = (await references()).filter(({ target }) => target === 'organizations').map(({ table }) => table);
  const without = (await tables()).filter(({ name }) => isDistributed(name) && !referring.includes(name));
  // The nil organization has the pools that all organizations share.
  expect(without.map(({ name }) => name)).toEqual(['pools']);
});

test('the sequences are the known ones', async () => {
  const found = await rowsOf<{ name: string }>(`
    select relname as name
      from pg_class
     where relnamespace = 'public'::regnamespace and relkind = 'S' and relname not like 'mikro_orm%'
     order by 1`);
  expect(found.map(({ name }) => name)).toEqual(sequences);
});

test('no table has a trigger of its own or rules', async () => {
  const found = await rowsOf(`
    select t.tgrelid::regclass::text as table, t.tgname as name
      from pg_trigger t
      join pg_class c on c.oid = t.tgrelid and c.relnamespace = 'public'::regnamespace
     where not t.tgisinternal
    union all
    select tablename, rulename from pg_rules where schemaname = 'public'`);
  expect(found).toEqual([]);
});

test('the planner never takes an organization for a few rows of its table', async () => {
  const found = await rowsOf<{ table: string }>(`
    select c.relname as table
      from pg_attribute a
      join pg_class c on c.oid = a.attrelid and c.relkind = 'r' and c.relnamespace = 'public'::regnamespace
     where a.attname = 'organization_id' and not coalesce(a.attoptions @> array['n_distinct=1'], false)
     order by 1`);
  // Settings and counters have one row an organization; sessions are found by their hash and by their user.
  expect(found.map(({ table }) => table)).toEqual(['commerce_settings', 'order_counters', 'sessions']);
});

describe('a break is found', () => {
  test.each([
    ['a unique constraint over all organizations', 'alter table messages add constraint one unique (provider_message_id)', 'one'],
    ['a unique index', 'create unique index one on tags (name, organization_id)', 'one'],
    ['a primary key', 'alter table contact_notes drop constraint contact_notes_pkey, add primary key (id)', 'contact_notes_pkey'],
    ['a table without organization', 'create table letters (id uuid primary key)', 'letters'],
    ['a table without primary key', 'create table letters (organization_id uuid not null)', 'letters'],
    [
      'a reference without organization',
      `alter table tags add constraint tags_id unique (id), add one uuid,
        add constraint one foreign key (one) references tags (id)`,
      'one',
    ],
    [
      'a reference table that refers to a distributed one',
      'alter table api_keys add one uuid, add constraint one foreign key (organization_id, one) references tags (organization_id, id)',
      'one',
    ],
  ])('%s', async (_what, change, name) => {
    expect((await breaksAfter(change)).filter((line) => line.startsWith(`${name} `) || line.startsWith(`${name}:`))).not.toEqual(
      [],
    );
  });
});
