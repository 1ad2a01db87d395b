import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type BatchStatement, runBatch, runTwoBatches } from '../../../../src/platform/database/batch.ts';
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

describe('two batches of one transaction', () => {
  const both = (first: BatchStatement[], last: Parameters<typeof runTwoBatches>[2]) =>
    runTwoBatches(house.database.pool, first, last);
  const among = async (from: number) => (await written()).filter((n) => n >= from && n < from + 10);

  test('the last statement is made of what the first ones gave', async () => {
    await both([write(40), { text: 'select n + $1::int as next from written where n = 40', params: [1] }], (rows) =>
      write(Number(rows[1]![0]!.next)),
    );
    expect(await among(40)).toEqual([40, 41]);
  });

  test('nothing of it is seen before the last has been written', async () => {
    const other = await openSecond();
    let seen: unknown;
    await both([write(50)], async () => {
      seen = (await other.query('select n from written where n = 50')).rows;
      return write(51);
    });
    await other.end();
    expect(seen).toEqual([]);
    expect(await among(50)).toEqual([50, 51]);
  });

  test.each<[string, BatchStatement[], Parameters<typeof runTwoBatches>[2], object]>([
    ['an error in a first statement', [write(60), write(60)], () => write(61), { code: '23505', step: 1 }],
    ['an error in the last one', [write(60), write(61)], () => write(60), { code: '23505', step: 2 }],
    ['an error in making it', [write(60)], () => Promise.reject(new Error('no')), { message: 'no' }],
    [
      'a value that cannot be sent',
      [write(60)],
      () => ({ text: 'select $1::jsonb', params: [{ n: 1n }] }),
      { name: 'TypeError' },
    ],
  ])('%s undoes all, and the connection stays', async (_what, first, last, error) => {
    const processId = async () => (await house.sql<{ id: number }>('select pg_backend_pid() as id'))[0]!.id;
    const before = await processId();
    await expect(both(first, last)).rejects.toMatchObject(error);
    expect(await among(60)).toEqual([]);
    expect(await processId()).toBe(before);
  });

  test('a connection that is cut is an error, and the next has another', async () => {
    const cut = { text: 'select pg_terminate_backend(pg_backend_pid()), $1::int', params: [1] };
    await expect(both([write(70), cut], () => write(71))).rejects.toBeInstanceOf(Error);
    await expect(both([write(70)], () => cut)).rejects.toBeInstanceOf(Error);
    await both([write(72)], () => write(73));
    expect(await among(70)).toEqual([72, 73]);
  });
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
