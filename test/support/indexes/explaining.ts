import type { Pool, PoolClient } from 'pg';
import { openDatabase } from '../../../src/open-database.ts';
import type { Database } from '../../../src/platform/database/database.ts';
import type { House } from '../house.ts';
import { collectingLog } from '../log.ts';

/** auto_explain sends the plan of whatever runs as a notice, those of a reference's own statements and of functions too. */
const settings = [
  `session_preload_libraries = 'auto_explain'`,
  'auto_explain.log_min_duration = 0',
  'auto_explain.log_nested_statements = on',
  `auto_explain.log_format = 'json'`,
  `client_min_messages = 'log'`,
];

export type Explaining = {
  database: Database;
  /** The indexes in the plans of all statements of `work`. */
  indexesOf(work: () => Promise<unknown>): Promise<Set<string>>;
};

/** Connections as the product opens them to the house's database. Close the database. */
export async function explaining(house: House): Promise<Explaining> {
  const [row] = await house.sql<{ name: string }>('select current_database() as name');
  for (const setting of settings) await house.sql(`alter database ${row!.name} set ${setting}`);
  const database = await openDatabase({ url: house.url, poolMax: 2, applicationName: 'kanal-test', log: collectingLog().log });
  let seen = new Set<string>();
  (database.pool as Pool).on('connect', (client: PoolClient) => {
    client.on('notice', ({ message = '' }) => {
      for (const [, index] of message.matchAll(/"Index Name": "([^"]+)"/g)) seen.add(index!);
    });
  });
  return {
    database,
    async indexesOf(work) {
      seen = new Set();
      await work();
      return seen;
    },
  };
}
