import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import type { Database } from '../../../../src/platform/database/database.ts';
import { createFiller, fillPool, holdPool, letPoolGo, setPool } from '../../../../src/platform/ledger/pools.ts';
import { type House, openHouse, playing } from '../../../support/house.ts';
import { hourMs, inMs } from '../../../support/rules/clock.ts';
import { deleteJob, setJobs, storeWaiting } from '../../../support/rules/ledger-jobs.ts';
import { newToys } from '../../../support/rules/toys.ts';
import { playJob } from '../../../support/toys.ts';
import { roundTrips } from '../../../support/turns.ts';
import { waitFor } from '../../../support/wait-for.ts';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());
beforeEach(async () => {
  await house.reset();
  await setPool(house.em(), house.pool('toys'), 3, null);
});

const count = async (state: string) => (await house.rows()).filter((row) => row.state === state).length;
const heldPool = () => holdPool(house.em(), house.pool('toys'), null);
const release = () => letPoolGo(house.em(), house.pool('toys'));

/** Rows that wait, as if each had been accepted. */
const burst = async (size: number) =>
  storeWaiting(house.em(), house.organizationId, { subjectIds: await newToys(house.em(), playJob.name, size) });

describe('fill', () => {
  test('gives room to the oldest, in order, up to the width', async () => {
    await burst(5);
    const rows = await house.rows();
    const given = await fillPool(house.database, house.pool('toys'));
    expect(given.map(({ id }) => id)).toEqual(rows.slice(0, 3).map(({ id }) => id));
    expect((await house.rows()).map(({ state }) => state)).toEqual(['queued', 'queued', 'queued', 'waiting', 'waiting']);
    expect(await fillPool(house.database, house.pool('toys'))).toEqual([]);
  });

  test('of a burst of 2,000 only the width goes into the queue', async () => {
    await setPool(house.em(), house.pool('toys'), 80, 80);
    await burst(2_000);
    await house.ledger.fill(house.pool('toys'));
    expect(house.dispatched).toHaveLength(80);
    expect(await count('queued')).toBe(80);
    expect(await count('waiting')).toBe(1_920);
  });

  test('room that nobody told of is found while more rows join', async () => {
    const given: string[] = [];
    const faults: unknown[] = [];
    const add = async (rows: { id: string }[]) => void given.push(...rows.map(({ id }) => id));
    let looks = 0;
    const counted = {
      onNobodysBehalf: (work: () => unknown) => work(),
      pool: {
        query(...args: unknown[]) {
          looks += 1;
          return (house.database.pool as unknown as { query(...args: unknown[]): unknown }).query(...args);
        },
      },
    } as unknown as Database;
    const delays = [1, 1, 1, 1];
    const filler = createFiller(counted, add, (fault) => faults.push(fault), delays);
    await burst(4);
    await filler.fill(house.pool('toys'));
    expect(given).toHaveLength(3);
    const joining = setInterval(() => filler.join({ ...house.pool('toys'), class: 0 }), 1);
    // More than those of the first row: those that follow belong to the rows that joined since.
    await waitFor('looks that found no room', () => looks > 3 * delays.length);
    expect(given).toHaveLength(3);
    await deleteJob(house.em(), given[0]!);
    await waitFor('a look that finds it', async () => given.length === 4);
    clearInterval(joining);
    expect(await count('waiting')).toBe(0);
    expect(faults).toEqual([]);
    // It would take the rows of the next test.
    let seen: number;
    do {
      seen = looks;
      await roundTrips((text) => house.sql(text));
    } while (looks > seen);
  });

  test('a run that ended makes room for one', async () => {
    await burst(4);
    await house.ledger.fill(house.pool('toys'));
    await house.run(playing(), { id: house.dispatched[0]!.id });
    await waitFor('the fill after the end', async () => house.dispatched.length === 4);
    expect(await count('waiting')).toBe(0);
  });

  test('a row that is put off frees its room until then', async () => {
    await burst(4);
    await house.ledger.fill(house.pool('toys'));
    const { id } = house.dispatched[0]!;
    const waiting = {
      ...playing(),
      run: async (_: unknown, context: { wait(ms: number): Promise<never> }) => context.wait(60_000),
    };
    expect(await house.run(waiting as never, { id })).toMatchObject({ kind: 'wait' });
    await waitFor('the fill after the wait', async () => house.dispatched.length === 4);
    expect(await house.row(id)).toMatchObject({ state: 'queued', slot_at: null });
  });

  test('a held pool is not filled; let go it is', async () => {
    await heldPool();
    await burst(2);
    expect(await fillPool(house.database, house.pool('toys'))).toEqual([]);
    await release();
    expect(await fillPool(house.database, house.pool('toys'))).toHaveLength(2);
  });

  test('a hold for a time ends by itself, and a shorter one does not shorten it', async () => {
    await holdPool(house.em(), house.pool('toys'), 600_000);
    await holdPool(house.em(), house.pool('toys'), 1);
    await burst(1);
    expect(await fillPool(house.database, house.pool('toys'))).toEqual([]);
    // Less than the first hold has left: the second did not replace it.
    await house.sql(`update pools set held_until = held_until - interval '500 s'`);
    expect(await fillPool(house.database, house.pool('toys'))).toEqual([]);
    await house.sql(`update pools set held_until = held_until - interval '100 s'`);
    expect(await fillPool(house.database, house.pool('toys'))).toHaveLength(1);
  });

  test('a row whose time is far away does not take the room of one whose time has come', async () => {
    await heldPool();
    await burst(4);
    await setJobs(house.em(), { run_at: inMs(hourMs) }, { id: (await house.rows())[0]!.id });
    await release();
    expect(await fillPool(house.database, house.pool('toys'))).toHaveLength(3);
    expect((await house.rows())[0]?.state).toBe('waiting');
  });

  test('many processes that fill at once never give more than the width', async () => {
    await setPool(house.em(), house.pool('toys'), 10, null);
    await burst(200);
    const given = await Promise.all(Array.from({ length: 8 }, () => fillPool(house.database, house.pool('toys'))));
    expect(given.flat()).toHaveLength(10);
    expect(new Set(given.flat().map(({ id }) => id)).size).toBe(10);
  });

  test('a job that is locked by its end is passed over, not waited for', async () => {
    await burst(3);
    const [first] = await house.rows();
    const client = new pg.Client({ connectionString: house.url });
    await client.connect();
    await client.query('begin');
    await client.query('select 1 from jobs where id = $1 for update', [first!.id]);
    expect(await fillPool(house.database, house.pool('toys'))).toHaveLength(2);
    await client.end();
  });

  test('asked while it runs it runs once more: a row accepted meanwhile is not left', async () => {
    await burst(1);
    const first = house.ledger.fill(house.pool('toys'));
    await burst(1);
    await Promise.all([first, house.ledger.fill(house.pool('toys'))]);
    expect(await count('queued')).toBe(2);
  });
});

describe('no business transaction locks a pool', () => {
  test('accept and finish pass while a pool is locked', async () => {
    const { id } = await house.accept({ pool: 'toys' });
    const others = await Promise.all(Array.from({ length: 2 }, () => house.accept({ pool: 'toys' })));
    expect((await house.rows()).map(({ state }) => state)).toEqual(['queued', ...others.map(() => 'queued')]);
    const client = new pg.Client({ connectionString: house.url });
    await client.connect();
    await client.query('begin');
    await client.query('select 1 from pools where id = $1 for update', ['toys']);
    const second = await house.accept({ pool: 'toys' });
    expect(await house.run(playing(), { id })).toEqual({ kind: 'done' });
    expect((await house.row(second.id))?.state).toBe('waiting');
    await client.query('commit');
    await client.end();
    await waitFor('the fill', async () => (await house.row(second.id))?.state === 'queued');
  });
});
