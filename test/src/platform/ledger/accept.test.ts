import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { holdPool, letPoolGo, setPool } from '../../../../src/platform/ledger/pools.ts';
import { databaseTimer } from '../../../support/database-time.ts';
import { type House, openHouse } from '../../../support/house.ts';
import { setJobState } from '../../../support/rules/ledger-jobs.ts';
import { newToy, playJob } from '../../../support/toys.ts';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());
beforeEach(async () => {
  await house.reset();
  await setPool(house.em(), house.pool('toys'), 3, null);
});

/** Accepts with the pool as it is, so that the state a row is born with can be read: nothing fills a held pool. */
const whileHeld = async (work: () => Promise<unknown>) => {
  await holdPool(house.em(), house.pool('toys'), null);
  await work();
  await house.ledger.fill(house.pool('toys'));
  await letPoolGo(house.em(), house.pool('toys'));
};
const states = async () => (await house.rows()).map(({ state }) => state);

describe('rule 1: the state of a new row', () => {
  test('without lane and pool it is queued and handed to the queue after the commit', async () => {
    const { id } = await house.accept();
    expect(await house.row(id)).toMatchObject({ state: 'queued', run: 1, attempts: 0, queue: 'default' });
    expect(house.dispatched).toEqual([expect.objectContaining({ id, run: 1, queue: 'default', name: 'toys.play' })]);
  });

  test('alone in its lane it is the head', async () => {
    await house.accept({ lane: 'a:1' });
    expect(await states()).toEqual(['queued']);
  });

  test('behind another in its lane it is blocked and not handed over', async () => {
    await house.accept({ lane: 'a:1' });
    await house.accept({ lane: 'a:1' });
    await house.accept({ lane: 'a:2' });
    expect(await states()).toEqual(['queued', 'blocked', 'queued']);
    expect(house.dispatched).toHaveLength(2);
  });

  test('with a pool it waits for room; behind another in its lane it is blocked', async () => {
    await whileHeld(async () => {
      await house.accept({ pool: 'toys' });
      await house.accept({ pool: 'toys', lane: 'a:1' });
      await house.accept({ pool: 'toys', lane: 'a:1' });
    });
    expect(await states()).toEqual(['waiting', 'waiting', 'blocked']);
    expect(house.dispatched).toHaveLength(0);
  });

  test('a failed row and a done one do not block their lane', async () => {
    const { id } = await house.accept({ lane: 'a:1' });
    await setJobState(house.em(), id, 'failed');
    const next = await house.accept({ lane: 'a:1' });
    expect((await house.row(next.id))?.state).toBe('queued');
  });

  test('several rows of one lane in one transaction: the first is the head, in the order they were asked for', async () => {
    const toys = [
      await newToy(house.em(), playJob.name),
      await newToy(house.em(), playJob.name),
      await newToy(house.em(), playJob.name),
    ];
    const ids = await house.ledger.transact({ locks: ['a:1', 'a:2'] }, async (tx) => [
      tx.enqueue(playJob, house.organizationId, { toy_id: toys[0]! }, { lane: 'a:1' }),
      tx.enqueue(playJob, house.organizationId, { toy_id: toys[1]! }, { lane: 'a:1' }),
      tx.enqueue(playJob, house.organizationId, { toy_id: toys[2]! }, { lane: 'a:2' }),
    ]);
    const rows = await house.rows();
    expect(rows.map(({ id }) => id)).toEqual(ids);
    expect(rows.map(({ state }) => state)).toEqual(['queued', 'blocked', 'queued']);
  });

  test('a delay moves its run and its first look, by the clock of the database', async () => {
    const passed = await databaseTimer(house.em());
    const { id } = await house.accept({ delayMs: 60_000 });
    const row = await house.row(id);
    expect(row!.run_in + (await passed())).toBeGreaterThan(59_990);
    expect(row?.run_in).toBeLessThanOrEqual(60_000);
    expect(row!.check_in - row!.run_in).toBeCloseTo(5_000, -2);
    expect(house.dispatched[0]!.delay_ms + (await passed())).toBeGreaterThan(59_990);
  });
});

describe('rule 1: with the transaction or not at all', () => {
  test('a transaction that fails leaves no row and hands nothing over', async () => {
    const toyId = await newToy(house.em(), playJob.name);
    const work = house.ledger.transact({}, async (tx) => {
      tx.enqueue(playJob, house.organizationId, { toy_id: toyId });
      throw new Error('no');
    });
    await expect(work).rejects.toThrow('no');
    expect(await house.rows()).toHaveLength(0);
    expect(house.dispatched).toHaveLength(0);
  });

  test('a lane may be touched only with its lock', async () => {
    const toyId = await newToy(house.em(), playJob.name);
    const work = house.ledger.transact({ locks: ['a:2'] }, async (tx) =>
      tx.enqueue(playJob, house.organizationId, { toy_id: toyId }, { lane: 'a:1' }),
    );
    await expect(work).rejects.toThrow('needs the lock');
    expect(await house.rows()).toHaveLength(0);
  });

  test('the queue learns of a row only after the commit', async () => {
    const toyId = await newToy(house.em(), playJob.name);
    await house.ledger.transact({}, async (tx) => {
      tx.enqueue(playJob, house.organizationId, { toy_id: toyId });
      await tx.query('select 1');
      expect(house.dispatched).toHaveLength(0);
    });
    expect(house.dispatched).toHaveLength(1);
  });
});
