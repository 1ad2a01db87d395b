import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { DispatchedRow } from '../../../../src/platform/ledger/accept.ts';
import { isPaced, mayRunNow, paceParts } from '../../../../src/platform/ledger/pace.ts';
import { createFiller, setPool } from '../../../../src/platform/ledger/pools.ts';
import { type House, openHouse } from '../../../support/house.ts';
import { storeWaiting } from '../../../support/rules/ledger-jobs.ts';
import { waitFor } from '../../../support/wait-for.ts';

let house: House;
beforeAll(async () => {
  house = await openHouse(undefined, { poolMax: 10 });
  await setPool(house.em(), house.pool('toys'), 80, 80);
});
afterAll(() => house.close());

const add = (size: number, kind: 0 | 1, pool = 'toys') =>
  storeWaiting(house.em(), house.organizationId, { count: size, class: kind, pool });

/** A worker of the pool and no more: claims as a send does, at the time it is given, and asks for a fill. */
function startClaims(pool = 'toys') {
  const claimed: { at: number; id: string }[] = [];
  const statement = `
    with ${paceParts('true', { freesRoom: true })}
    select (select wait_ms from turn) as wait_ms,
           (select 1
              from jobs j
              left join pools p on p.organization_id = j.organization_id and p.id = j.pool
             where j.organization_id = $1 and j.id = $2 and j.run = $3 and ${mayRunNow} and ${isPaced}) is not null as is_claimed`;
  const run = async ({ organization_id, id, run: number, delay_ms }: DispatchedRow) => {
    for (let waitMs = delay_ms; ; ) {
      await sleep(waitMs);
      const [given] = await house.sql<{ is_claimed: boolean; wait_ms: number | null }>(statement, [organization_id, id, number]);
      if (given!.is_claimed) break;
      waitMs = given!.wait_ms ?? 5;
    }
    claimed.push({ id, at: performance.now() });
    void filler.fill(house.pool(pool));
    await house.sql('delete from jobs where organization_id = $1 and id = $2', [organization_id, id]);
  };
  const filler = createFiller(
    house.database,
    async (rows) => void rows.map(run),
    () => undefined,
  );
  return { claimed, filler };
}

test('a channel of bulk work alone keeps its rate, and answers among it go at once', async () => {
  const [size, answers] = [320, 10];
  await add(size, 1);
  const { claimed, filler } = startClaims();
  void filler.fill(house.pool('toys'));
  await waitFor('a second of it', () => claimed.length >= 80, 20_000);
  const askedAt = new Map<string, number>();
  for (let index = 0; index < answers; index += 1) {
    const [id] = await add(1, 0);
    askedAt.set(id!, performance.now());
    filler.join({ ...house.pool('toys'), class: 0 });
    await sleep(120);
  }
  await waitFor('all to be claimed', () => claimed.length === size + answers, 40_000);
  const perSecond = ((size + answers - 1) / (claimed.at(-1)!.at - claimed[0]!.at)) * 1_000;
  const waitsMs = claimed
    .flatMap(({ id, at }) => (askedAt.has(id) ? at - askedAt.get(id)! : []))
    .sort((one, other) => one - other);
  // The pace is 76 a second; 75 were seen, and answers after 54 ms at most. A busy machine has less.
  expect(perSecond).toBeGreaterThan(60);
  expect(waitsMs[answers / 2]).toBeLessThan(250);
});

test.each<[string, 0 | 1, number, number]>([
  ['messages of a campaign on a channel of', 1, 4, 4],
  ['messages of a campaign on a channel of', 1, 20, 20],
  ['messages on a channel of', 0, 4, 4],
  ['deliveries to an endpoint of', 0, 1, 10],
])('%s (class %i) %i a second keep its rate', async (_, kind, rate, width) => {
  const pool = `slow:${kind}:${rate}`;
  await setPool(house.em(), house.pool(pool), width, rate);
  const count = Math.max(8, rate * 6);
  await add(count, kind, pool);
  const { claimed, filler } = startClaims(pool);
  void filler.fill(house.pool(pool));
  await waitFor('all to be claimed', () => claimed.length === count, 60_000);
  const times = claimed.map(({ at }) => at).sort((one, other) => one - other);
  const inASecond = times.map((from) => times.filter((at) => at >= from && at < from + 1_000).length);
  expect(Math.max(...inASecond)).toBeLessThanOrEqual(rate);
  const perSecond = ((count - 1) / (times.at(-1)! - times[0]!)) * 1_000;
  // The pace is 0.95 of the rate, and 0.93 to 0.95 were seen; 0.52, 0.81, 0.69 and 0.52 with a plan that was closer. A busy machine has less.
  expect(perSecond / rate).toBeGreaterThan(0.75);
});
