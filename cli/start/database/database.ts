import pg from 'pg';
import { isDatabaseAway } from '../../../src/platform/database/errors.ts';
import { until } from '../until.ts';
import type { Server } from './server.ts';

const name = 'kanal';

export const serverUrl = (port: number, password: string, database = name) =>
  `postgres://postgres:${encodeURIComponent(password)}@127.0.0.1:${port}/${database}`;

/** Waits for the server and makes our database in it. Returns its address. */
export async function openDatabaseOf({ port, isReady }: Server, password: string, signal: AbortSignal): Promise<string> {
  const url = serverUrl(port, password, 'postgres');
  // Before it is ready, the server would fill its log with refusals.
  const client = await until('The start of the database', signal, async () => (isReady() ? connected(url) : undefined));
  try {
    // SQL: the server's own catalogue.
    const { rowCount } = await client.query(
      `select 1
         from pg_database
        where datname = $1`,
      [name],
    );
    if (rowCount === 0) await client.query(`create database ${name}`);
  } finally {
    await client.end();
  }
  return serverUrl(port, password);
}

async function connected(connectionString: string): Promise<pg.Client | undefined> {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: 2_000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return client;
  } catch (error) {
    await client.end().catch(() => undefined);
    if (isDatabaseAway(error)) return undefined;
    throw error;
  }
}
