import { afterAll, beforeAll } from '@jest/globals';
import pg from 'pg';
import { createTestDatabase } from '../support/database.ts';

/** A database without a table, for the tests of a file. */
export function useEmptyDatabase() {
  const name = `kanal_cli_${process.pid}`;
  let drop: () => Promise<void>;
  let admin: pg.Client;
  let url: string;
  beforeAll(async () => {
    const created = await createTestDatabase();
    drop = created.drop;
    admin = new pg.Client({ connectionString: created.url });
    await admin.connect();
    await admin.query(`create database ${name}`);
    url = Object.assign(new URL(created.url), { pathname: `/${name}` }).href;
  });
  afterAll(async () => {
    await admin.query(`drop database if exists ${name} with (force)`);
    await admin.end();
    await drop();
  });
  return {
    url: () => url,
    /** Whether the ledger and the queue of BullMQ are there. */
    async schemas(): Promise<{ jobs: boolean; queue: boolean }> {
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      const { rows } = await client.query(
        `select to_regclass('jobs') is not null as jobs, to_regclass('bullmq.job') is not null as queue`,
      );
      await client.end();
      return rows[0];
    },
  };
}
