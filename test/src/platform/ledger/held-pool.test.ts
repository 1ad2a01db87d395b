import { afterEach, expect, test } from '@jest/globals';
import { checkJobs } from '../../../../src/platform/ledger/check.ts';
import type { Ledger } from '../../../../src/platform/ledger/ledger.ts';
import { holdPool, letPoolGo, setPool } from '../../../../src/platform/ledger/pools.ts';
import { runJob } from '../../../../workers/run-job.ts';
import { describeEachBackend } from '../../../support/backends.ts';
import { type House, onePlace, openHouse, playing, toyHandler } from '../../../support/house.ts';
import { playedByLane } from '../../../support/rules/toys.ts';
import { playJob } from '../../../support/toys.ts';
import { waitFor } from '../../../support/wait-for.ts';

let house: House;
afterEach(() => house.close());

const release = () =>
  house.ledger.transact({}, async (tx) => {
    await letPoolGo(tx.em, house.pool('toys'));
    tx.dispatch({ rows: [], pools: [house.pool('toys')] });
  });

/** Without the sweeper: whatever the test sees, the fills did. */
describeEachBackend('hold', (makeBackend) => {
  test('a pool held in the middle stops, and let go it drains without the sweeper', async () => {
    house = await openHouse(makeBackend);
    await setPool(house.em(), house.pool('toys'), 20, null);
    await holdPool(house.em(), house.pool('toys'), null);
    for (let index = 0; index < 200; index += 1) await house.accept({ pool: 'toys', lane: `lane:${index % 40}` });
    // Those beyond 60 are not over before the pool is held.
    let isHeld: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      isHeld = resolve;
    });
    let begun = 0;
    const patient = toyHandler(playJob, async (payload, context) => {
      begun += 1;
      if (begun > 60) await held;
      return playing().run(payload, context as never);
    });
    house.work([patient], { concurrency: 20 });
    const played = async () => (await playedByLane(house.em())).flatMap(({ ids }) => ids).length;
    expect(await played()).toBe(0);

    await release();
    await waitFor('some to be played', async () => (await played()) > 30);
    await holdPool(house.em(), house.pool('toys'), null);
    isHeld();
    const isQuiet = async () => !(await house.rows()).some(({ state }) => state === 'queued');
    await waitFor('the runs under way to end or go back', isQuiet);
    const stopped = await played();
    expect(stopped).toBeLessThan(200);
    expect(await checkJobs(house.database)).toEqual([]);

    await release();
    await waitFor('the rest', async () => (await played()) === 200);
    const order = await playedByLane(house.em());
    expect(order).toHaveLength(40);
    for (const { ids } of order) expect(ids).toEqual(ids.toSorted());
  });
});

test('hold: a run that goes back just after its pool was let go is filled, not left to the sweeper', async () => {
  house = await openHouse();
  await setPool(house.em(), house.pool('toys'), 1, null);
  const { id } = await house.accept({ pool: 'toys' });
  await waitFor('its room', async () => (await house.row(id))?.state === 'queued');
  await holdPool(house.em(), house.pool('toys'), null);
  const transact: Ledger['transact'] = async (options, work) => {
    await release();
    await house.ledger.fill(house.pool('toys'));
    return house.ledger.transact(options, work);
  };
  const deps = { ...house.deps, ledger: { ...house.ledger, transact } };
  const { ended } = await runJob(
    deps,
    playing(),
    { organization_id: house.organizationId, id, run: 1, attemptsMade: 0, stalledCounter: 0 },
    onePlace,
  );
  expect(ended.kind).toBe('held');
  await waitFor('the fill', async () => (await house.row(id))?.state === 'queued');
});
