import pg from 'pg';

const tables = [
  `create table toys (id uuid primary key, kind text not null, lane text, status text not null default 'open', reason text,
   effects int not null default 0, revivals int not null default 0)`,
  'create table played (seq bigint generated always as identity, toy_id uuid not null, lane text)',
];

/** The tables of the subjects that the ledger's own tests use. `effects` counts what a run did; `played` stores the order. */
export async function createToyTables(databaseUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  for (const table of tables) await client.query(table);
  await client.end();
}
