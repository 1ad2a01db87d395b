import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { holdPool, setPool } from '../../../../src/platform/ledger/pools.ts';
import { decide, readRun } from '../../../../src/platform/ledger/run.ts';
import { type House, openHouse, playing } from '../../../support/house.ts';
import { hourMs, minuteMs } from '../../../support/rules/clock.ts';
import { deleteJob, letOthersPass, setJobState, storedJob } from '../../../support/rules/ledger-jobs.ts';
import { setPools, storedPool } from '../../../support/rules/pools.ts';
import { newToy, playJob } from '../../../support/toys.ts';
import { waitFor } from '../../../support/wait-for.ts';

let house: House;
beforeAll(async () => {
  house = await openHouse(undefined, { poolMax: 20 });
});
afterAll(() => house.close());
beforeEach(async () => {
  await house.reset();
  await setPool(house.em(), house.pool('toys'), 3, null);
});

const stateOf = async (id: string) => (await house.row(id))?.state;
const filledAt = async () => (await storedPool(house.em())).filled_at;

describe('a new row of a pool', () => {
  test('goes to the queue at once where there is room, and takes its place; no fill gave it away', async () => {
    const { id } = await house.accept({ pool: 'toys' });
    expect(await house.row(id)).toMatchObject({ state: 'queued', slot_at: expect.any(Number) });
    expect(house.dispatched).toEqual([expect.objectContaining({ id, pool: 'toys' })]);
    expect(await filledAt()).toBeNull();
  });

  test('waits when the width is taken', async () => {
    for (let index = 0; index < 3; index += 1) await house.accept({ pool: 'toys' });
    const { id } = await house.accept({ pool: 'toys' });
    expect(await house.row(id)).toMatchObject({ state: 'waiting', slot_at: null });
  });

  test('of several in one transaction only those get room that fit', async () => {
    const toys = await Promise.all([1, 2, 3, 4, 5].map(() => newToy(house.em(), playJob.name)));
    await house.ledger.transact({}, async (tx) => {
      for (const toyId of toys) tx.enqueue(playJob, house.organizationId, { toy_id: toyId }, { pool: 'toys' });
    });
    expect((await house.rows()).map(({ state }) => state)).toEqual(['queued', 'queued', 'queued', 'waiting', 'waiting']);
  });

  test('does not overtake one that waits', async () => {
    const { id: first } = await house.accept({ pool: 'toys' });
    await setJobState(house.em(), first, 'waiting');
    const { id } = await house.accept({ pool: 'toys' });
    await waitFor('the fill', async () => (await stateOf(id)) === 'queued');
    expect(house.dispatched.map((row) => row.id)).toEqual([first, first, id]);
  });

  test('overtakes one that lets all others pass', async () => {
    const { id: patient } = await house.accept({ pool: 'toys' });
    await letOthersPass(house.em(), await storedJob(house.em(), { id: patient }));
    house.dispatched.length = 0;
    const { id } = await house.accept({ pool: 'toys' });
    expect(await stateOf(id)).toBe('queued');
    expect(await filledAt()).toBeNull();
    expect(house.dispatched.map((row) => row.id)).toEqual([id]);
  });

  test.each([
    ['is held', { heldInMs: hourMs }],
    ['has a pace that is ahead', { rate: 1, tatInMs: minuteMs }],
    ['has a plan that is ahead', { rate: 1, planInMs: minuteMs }],
  ])('waits when its pool %s', async (_, change) => {
    await setPools(house.em(), change);
    const { id } = await house.accept({ pool: 'toys' });
    expect((await house.row(id))?.slot_at === null || (await house.row(id))!.run_in > 1_000).toBe(true);
    expect(house.dispatched.filter(({ delay_ms }) => delay_ms < 1_000)).toEqual([]);
  });

  test('waits when it has a delay, or a pool that does not exist', async () => {
    const [delayed, lost] = [await house.accept({ pool: 'toys', delayMs: 60_000 }), await house.accept({ pool: 'none' })];
    expect([await stateOf(delayed.id), await stateOf(lost.id)]).toEqual(['waiting', 'waiting']);
  });

  test('behind another in its lane is blocked, whatever room there is', async () => {
    await house.accept({ pool: 'toys', lane: 'a:1' });
    const { id } = await house.accept({ pool: 'toys', lane: 'a:1' });
    expect(await stateOf(id)).toBe('blocked');
  });
});

describe('more rows than the width, from transactions that committed together', () => {
  /** As if none had seen the others. */
  async function overshoot(count: number) {
    await setPool(house.em(), house.pool('toys'), 100, null);
    for (let index = 0; index < count; index += 1) await house.accept({ pool: 'toys' });
    await setPool(house.em(), house.pool('toys'), 3, null);
    return house.rows();
  }

  test('none runs beyond the width: those that find no room go back to wait, and those that are left run', async () => {
    const rows = await overshoot(5);
    const decisions = () =>
      Promise.all(
        rows.map(async ({ id }) => {
          const row = await readRun(house.em(), { organization_id: house.organizationId, id });
          return row && decide(row, 1, 0);
        }),
      );
    expect(await decisions()).toEqual(['room', 'room', 'room', 'room', 'room']);
    for (const { id } of rows.slice(0, 2)) expect(await house.run(playing(), { id })).toMatchObject({ kind: 'full' });
    expect(await house.row(rows[0]!.id)).toMatchObject({ state: 'waiting', run: 2, slot_at: null });
    expect(await decisions()).toEqual(['stale', 'stale', 'run', 'run', 'run']);
  });

  test('also when the rows with the older times are committed last', async () => {
    await setPool(house.em(), house.pool('toys'), 2, null);
    const toys = await Promise.all([1, 2].map(() => newToy(house.em(), playJob.name)));
    const gates = toys.map(() => Promise.withResolvers<void>());
    const born = toys.map(() => Promise.withResolvers<void>());
    const late = toys.map((toyId, index) =>
      house.ledger.transact(
        {
          once: {
            claims: [],
            kept: async () => {
              born[index]!.resolve();
              await gates[index]!.promise;
              return { text: 'select 1', params: [] };
            },
          },
        },
        async (tx) => tx.enqueue(playJob, house.organizationId, { toy_id: toyId }, { pool: 'toys' }),
      ),
    );
    await Promise.all(born.map(({ promise }) => promise));
    const early = [await house.accept({ pool: 'toys' }), await house.accept({ pool: 'toys' })];
    const decisionOf = async (id: string) =>
      decide(await readRun(house.em(), { organization_id: house.organizationId, id }), 1, 0);
    expect(await Promise.all(early.map(({ id }) => decisionOf(id)))).toEqual(['run', 'run']);
    for (const { resolve } of gates) resolve();
    const ids = await Promise.all(late);
    expect(await Promise.all(ids.map(decisionOf))).toEqual(['room', 'room']);
  });

  test('nothing is lost: each row runs once, in the end', async () => {
    const rows = await overshoot(8);
    for (let done = 0; done < rows.length; ) {
      for (const { id, run, state } of await house.rows())
        if (state === 'queued') done += Number((await house.run(playing(), { id, run })).kind === 'done');
      await house.ledger.fill(house.pool('toys'));
    }
    expect(await house.rows()).toEqual([]);
    for (const { subject_id } of rows) expect((await house.toy(subject_id)).effects).toBe(1);
  });
});

describe('a fill is asked for when somebody waits', () => {
  test('the end of a run gives its room to the row that waits for it', async () => {
    await setPool(house.em(), house.pool('toys'), 1, null);
    const first = await house.accept({ pool: 'toys' });
    const second = await house.accept({ pool: 'toys' });
    await house.run(playing(), { id: first.id });
    await waitFor('the fill', async () => (await stateOf(second.id)) === 'queued');
  });

  test('a row whose fill came before the end had committed, and which the end did not see, gets its room soon', async () => {
    await setPool(house.em(), house.pool('toys'), 1, null);
    const first = await house.accept({ pool: 'toys' });
    const { id } = await house.accept({ pool: 'toys' });
    await house.ledger.fill(house.pool('toys'));
    expect(await stateOf(id)).toBe('waiting');
    // The end as another process makes it that has not seen the second row: it asks for nothing.
    await deleteJob(house.em(), first.id);
    await waitFor('its room', async () => (await stateOf(id)) === 'queued');
  });

  test('a hold keeps all out', async () => {
    await holdPool(house.em(), house.pool('toys'), null);
    const { id } = await house.accept({ pool: 'toys' });
    await house.ledger.fill(house.pool('toys'));
    expect(await stateOf(id)).toBe('waiting');
  });
});
