import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { endDone, endPart, RunOver } from '../../../../src/platform/ledger/release.ts';
import { type House, openHouse } from '../../../support/house.ts';
import { setJobs, storeWaiting } from '../../../support/rules/ledger-jobs.ts';
import { newToy, playJob } from '../../../support/toys.ts';

let house: House;
beforeAll(async () => {
  house = await openHouse(undefined, { poolMax: 10 });
});
afterAll(() => house.close());
beforeEach(() => house.reset());

const effect = (toyId: string, onlyWithEnd = true) => ({
  text: (id: string) => `
    played_with as (
      update toys
         set effects = effects + 1
       where id = ${id} ${onlyWithEnd ? 'and exists (select 1 from ended)' : ''})`,
  params: [toyId],
  onlyWithEnd,
});

describe('a transaction of one round trip', () => {
  const finish = (id: string, run: number, toyId: string) =>
    house.ledger.transact({ isOneTrip: true }, async (tx) => {
      tx.include(effect(toyId));
      endDone(tx, { organization_id: house.organizationId, id, run });
    });

  test('has its effect with the end of the row, once, however often it is asked for', async () => {
    const { id, toyId } = (await house.accept())!;
    await finish(id, 1, toyId);
    expect(await house.row(id)).toBeUndefined();
    await expect(finish(id, 1, toyId)).rejects.toThrow(RunOver);
    expect((await house.toy(toyId)).effects).toBe(1);
  });

  test('of two at once one has the effect', async () => {
    const { id, toyId } = (await house.accept())!;
    const ends = await Promise.allSettled([finish(id, 1, toyId), finish(id, 1, toyId)]);
    expect(ends.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect((await house.toy(toyId)).effects).toBe(1);
  });

  test("a run that is another's by now changes nothing", async () => {
    const { id, toyId } = (await house.accept())!;
    await setJobs(house.em(), { run: 2 }, { id });
    await expect(finish(id, 1, toyId)).rejects.toThrow(RunOver);
    expect((await house.toy(toyId)).effects).toBe(0);
    expect((await house.row(id))?.state).toBe('queued');
  });

  test('is refused when a part would stay without the end, and when it is more', async () => {
    const { id, toyId } = (await house.accept())!;
    const careless = house.ledger.transact({ isOneTrip: true }, async (tx) => {
      tx.include(effect(toyId, false));
      endDone(tx, { organization_id: house.organizationId, id, run: 1 });
    });
    await expect(careless).rejects.toThrow('does not fit one round trip');
    const asking = house.ledger.transact({ isOneTrip: true }, async (tx) => void (await tx.query('select 1')));
    await expect(asking).rejects.toThrow('runs no other');
    expect((await house.toy(toyId)).effects).toBe(0);
  });
});

test('a job born in the lane of the row that ends becomes its head', async () => {
  const { id } = (await house.accept({ lane: 'a:1' }))!;
  const toyId = await newToy(house.em(), playJob.name);
  const next = await house.ledger.transact({ locks: ['a:1'] }, async (tx) => {
    endDone(tx, { organization_id: house.organizationId, id, run: 1, lane: 'a:1' });
    return tx.enqueue(playJob, house.organizationId, { toy_id: toyId }, { lane: 'a:1' });
  });
  expect((await house.row(next))?.state).toBe('queued');
});

test.each(['done', 'kept', 'gone'] as const)(
  'an end (%s) that was prepared while nothing was queued finds its row by its id',
  async (kind) => {
    // As the product connects; a thousand rows wait, none is queued.
    await storeWaiting(house.em(), house.organizationId, { count: 1_000, pool: 'none' });
    const client = await house.database.pool.connect();
    try {
      await client.query('vacuum analyze jobs');
      await client.query('set plan_cache_mode = force_generic_plan');
      await client.query(
        `prepare finish(uuid, uuid, int) as with ${endPart({ kind, params: [], isRequired: true }).text('$1', '$2', '$3')} select count(*) from ended`,
      );
      const { rows } = await client.query(
        `explain (format json) execute finish('${house.organizationId}', '${house.organizationId}', 1)`,
      );
      const plan = JSON.stringify(rows[0]['QUERY PLAN']);
      expect(plan).toContain('jobs_pkey');
      expect(plan).not.toMatch(/Seq Scan|"Index Name":"jobs_(check|room|waiting|head|lane)"/);
    } finally {
      client.release(true);
    }
  },
);
