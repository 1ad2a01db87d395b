import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { createTestDatabase } from '../support/database.ts';
import { commandOn } from './command.ts';

let drop: () => Promise<void>;
let admin: pg.Client;
let url: string;
const empty = `kanal_cli_${process.pid}`;

beforeAll(async () => {
  const created = await createTestDatabase();
  drop = created.drop;
  admin = new pg.Client({ connectionString: created.url });
  await admin.connect();
  await admin.query(`create database ${empty}`);
  url = Object.assign(new URL(created.url), { pathname: `/${empty}` }).href;
});
afterAll(async () => {
  await admin.query(`drop database if exists ${empty} with (force)`);
  await admin.end();
  await drop();
});

test('two at once migrate an empty database once, and a third finds nothing to do', async () => {
  const kanal = commandOn(url);
  const both = await Promise.all([kanal('migrate'), kanal('migrate')]);
  expect(both.map(({ code, stderr }) => ({ code, stderr }))).toEqual([
    { code: 0, stderr: '' },
    { code: 0, stderr: '' },
  ]);
  expect(both.filter(({ stdout }) => stdout.includes('applied 20261121000000-organizations'))).toHaveLength(1);
  expect((await kanal('migrate')).stdout).toBe('The database is up to date\n');

  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query(
    `select to_regclass('jobs') is not null as jobs, to_regclass('bullmq.job') is not null as queue`,
  );
  await client.end();
  expect(rows).toEqual([{ jobs: true, queue: true }]);
});

test('a database that is away is said to be away', async () => {
  const result = await commandOn('postgres://nobody@127.0.0.1:1/none')('migrate');
  expect(result).toEqual({ code: 1, stdout: '', stderr: expect.stringMatching(/^The database cannot be reached: .*\n$/) });
});
