import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type BatchStatement, runBatch } from '../../../../src/platform/database/batch.ts';
import { type House, openHouse } from '../../../support/house.ts';

let house: House;
beforeAll(async () => {
  house = await openHouse(undefined, { poolMax: 1 });
  await house.sql('create table written (n int primary key)');
});
afterAll(() => house.close());

const write = (n: number): BatchStatement => ({ text: 'insert into written values ($1) returning n', params: [n] });
const run = (...statements: BatchStatement[]) => runBatch(house.database.pool, statements);
const written = async () => (await house.sql<{ n: number }>('select n from written order by n')).map(({ n }) => n);

test('gives the rows of each statement, in order, with the types of every other query', async () => {
  const at = {
    text: `select $1::timestamptz as at, $2::jsonb as data, $3::int as n, null as nothing`,
    params: [new Date(0), '{"a":1}', 7],
  };
  expect(await run(write(1), at, { text: 'select n from written where n > $1', params: [5] })).toEqual([
    [{ n: 1 }],
    (await house.sql(at.text, at.params)) as object[],
    [],
  ]);
});

test('is one transaction: an error in the last undoes the first', async () => {
  await expect(run(write(10), { text: 'select 1 / $1::int', params: [0] }, write(11))).rejects.toMatchObject({ code: '22012' });
  expect(await written()).toEqual([1]);
  // The statements after the error were never prepared; the same texts are again.
  expect(await run(write(12), { text: 'select 1 / $1::int as one', params: [1] }, write(13))).toHaveLength(3);
  expect(await written()).toEqual([1, 12, 13]);
});

test('each statement sees what was committed before it began, also while it waited for a lock', async () => {
  const other = await openSecond();
  await other.query('begin');
  await other.query('select pg_advisory_xact_lock(77)');
  const counted = run(
    { text: 'select pg_advisory_xact_lock($1)', params: [77] },
    { text: 'select count(*)::int as n from written where n > $1', params: [100] },
  );
  await other.query('insert into written values (101)');
  await other.query('commit');
  await other.end();
  expect((await counted)[1]).toEqual([{ n: 1 }]);
});

test('a value that cannot be sent leaves the connection as it was', async () => {
  const round: { self?: unknown } = {};
  round.self = round;
  await expect(run(write(20), { text: 'select $1::jsonb', params: [round] })).rejects.toThrow(/circular/i);
  expect(await run(write(21))).toEqual([[{ n: 21 }]]);
});

test('a connection that is cut is an error, and the next batch has another', async () => {
  const cut = run({ text: 'select pg_terminate_backend(pg_backend_pid()) as $1', params: [] }).catch((error) => error);
  expect(await cut).toBeInstanceOf(Error);
  expect(
    await run({ text: 'select pg_terminate_backend(pg_backend_pid()), $1::int', params: [1] }).catch((error) => error),
  ).toBeInstanceOf(Error);
  expect(await run(write(30))).toEqual([[{ n: 30 }]]);
});

async function openSecond() {
  const { default: pg } = await import('pg');
  const client = new pg.Client({ connectionString: house.url });
  await client.connect();
  return client;
}

test('a statement is described once a connection, and its rows are the same afterwards', async () => {
  const text = `select n, n::text as name, null::jsonb as nothing, now() as at from written where n < $1 order by n`;
  const ask = () => house.database.pool.query(text, [20]);
  const [first, second] = [await ask(), await ask()];
  expect(second.rows.map(({ at, ...row }) => [typeof at, row])).toEqual(first.rows.map(({ at, ...row }) => [typeof at, row]));
  expect([second.rowCount, second.command]).toEqual([first.rowCount, 'SELECT']);
  expect((await house.database.pool.query('update written set n = n where n < $1', [20])).rowCount).toBe(first.rowCount);
});

test('a prepared statement whose columns have changed is an error, never a row of other names', async () => {
  await house.sql('create table changing (a int, b int)');
  await house.sql('insert into changing values (1, 2)');
  const ask = () => run({ text: 'select * from changing where a = $1', params: [1] });
  expect(await ask()).toEqual([[{ a: 1, b: 2 }]]);
  expect(await ask()).toEqual([[{ a: 1, b: 2 }]]);
  await house.sql('alter table changing add column c int');
  await expect(ask()).rejects.toThrow();
});
