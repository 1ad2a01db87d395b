import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { Registry } from 'prom-client';
import { IdempotencyKey } from '../../../../src/platform/idempotency/idempotency-key.entity.ts';
import type { After } from '../../../../src/platform/retention/purge.ts';
import { PurgeRun } from '../../../../src/platform/retention/purge-run.entity.ts';
import { purges } from '../../../../src/platform/retention/purges.ts';
import { claimPurge, type PurgeOptions, runPurge } from '../../../../src/platform/retention/run.ts';
import { startRetention } from '../../../../workers/retention.ts';
import { type House, openHouse } from '../../../support/house.ts';
import { databaseNowMs, dayMs, inMs, minuteMs } from '../../../support/rules/clock.ts';
import { storeIdempotencyKeys } from '../../../support/rules/idempotency-keys.ts';
import { waitFor } from '../../../support/wait-for.ts';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());
beforeEach(() => house.reset('purges', 'idempotency_keys'));

const keys = purges.find(({ table }) => table === 'idempotency_keys')!;
const oldKeys = (count: number) => storeIdempotencyKeys(house.em(), house.organizationId, count, 2 * dayMs);
const options = (): PurgeOptions => ({
  config: house.deps.config,
  database: house.database,
  isStopping: () => false,
  batch: 10,
  pauseMs: 0,
});
const run = (more: Partial<PurgeOptions> = {}) => runPurge(keys, { ...options(), ...more });
const state = async () => {
  const purge = await house.em().findOneOrFail(PurgeRun, { table_name: 'idempotency_keys' });
  return {
    in_minutes: Math.round((Date.parse(purge.next_at) - (await databaseNowMs(house.em()))) / minuteMs) || 0,
    finished: purge.finished_at !== null,
    deleted: Number(purge.deleted),
  };
};

test('of many workers that ask at once one gets the purge, and nobody before it is due again', async () => {
  const asked = await Promise.all(Array.from({ length: 8 }, () => claimPurge(house.database, 'idempotency_keys')));
  expect(asked.filter(Boolean)).toHaveLength(1);
  expect(await claimPurge(house.database, 'idempotency_keys')).toBe(false);
  expect(await state()).toEqual({ in_minutes: 5, finished: false, deleted: 0 });
  await house.em().nativeUpdate(PurgeRun, {}, { next_at: inMs(-1) });
  expect(await claimPurge(house.database, 'idempotency_keys')).toBe(true);
});

test('a whole purge is due again in an hour', async () => {
  await oldKeys(25);
  await claimPurge(house.database, 'idempotency_keys');
  expect(await run()).toEqual({ deleted: { idempotency_keys: 25 }, isOver: true });
  expect(await state()).toEqual({ in_minutes: 60, finished: true, deleted: 25 });
});

test('one whose time is used up is due again at once, and so is one that is stopped', async () => {
  await oldKeys(25);
  await claimPurge(house.database, 'idempotency_keys');
  expect(await run({ budgetMs: 0 })).toEqual({ deleted: { idempotency_keys: 0 }, isOver: false });
  let batches = 0;
  const onDeleted = () => {
    batches += 1;
  };
  const first = await run({ isStopping: () => batches > 0, onDeleted });
  expect(first).toEqual({ deleted: { idempotency_keys: 10 }, isOver: false });
  expect(await state()).toEqual({ in_minutes: 0, finished: false, deleted: 10 });
  expect(await claimPurge(house.database, 'idempotency_keys')).toBe(true);
});

test('a run goes on where the one before it had to end, and the one after a whole purge begins again', async () => {
  const seen: (string | undefined)[] = [];
  const walk = {
    table: 'idempotency_keys',
    tables: ['idempotency_keys'],
    steps: [
      {
        days: () => 1,
        async batch(_em: unknown, _days: number, _limit: number, after?: After) {
          seen.push(after?.id);
          const id = { a: 'b', b: 'c' }[after?.id ?? ''] ?? 'a';
          return { deleted: {}, isLast: after?.id === 'c', last: { organization_id: 'o', id } };
        },
      },
    ],
  };
  await claimPurge(house.database, 'idempotency_keys');
  const batches = (count: number) => {
    const last = seen.length + count;
    return runPurge(walk, { ...options(), isStopping: () => seen.length >= last });
  };
  await batches(2);
  await batches(1);
  await batches(1);
  expect(seen).toEqual([undefined, 'a', 'b', 'c']);
  await batches(1);
  expect(seen.at(-1)).toBeUndefined();
});

test('two purges of one table at once delete each row once', async () => {
  await oldKeys(200);
  await claimPurge(house.database, 'idempotency_keys');
  const both = await Promise.all([run(), run()]);
  expect(both.reduce((sum, { deleted }) => sum + deleted.idempotency_keys!, 0) + (await run()).deleted.idempotency_keys!).toBe(
    200,
  );
});

test('two workers share the purges: each is done once, told in the log and counted', async () => {
  await oldKeys(5);
  const registries = [new Registry(), new Registry()];
  const workers = registries.map((registry) => startRetention(house.deps, registry, 50));
  const purgeLines = () => house.lines.filter(({ msg }) => msg === 'purge');
  const tables = purges.map(({ table }) => table);
  await waitFor('every purge', () => tables.every((table) => purgeLines().some((line) => line.purge === table)));
  await Promise.all(workers.map((worker) => worker.stop()));
  expect(
    purgeLines()
      .map((line) => line.purge)
      .filter((purge) => tables.includes(purge as string))
      .sort(),
  ).toEqual([...tables].sort());
  expect(purgeLines().find((line) => line.purge === 'idempotency_keys')).toMatchObject({
    deleted: { idempotency_keys: 5 },
    is_over: true,
  });
  const texts = await Promise.all(registries.map((registry) => registry.metrics()));
  const counted = texts.map((text) =>
    Number(/^kanal_retention_rows_deleted_total\{table="idempotency_keys"\} (\d+)$/m.exec(text)?.[1]),
  );
  expect(counted[0]! + counted[1]!).toBe(5);
});

test('a worker goes on with a purge that has more to delete, without the pause of a minute', async () => {
  await oldKeys(25);
  const budget = { batch: 10, budgetMs: 0 };
  const isUnfinished = async () => (await run(budget)).isOver === false;
  await claimPurge(house.database, 'idempotency_keys');
  expect(await isUnfinished()).toBe(true);
  const worker = startRetention(house.deps, new Registry(), 50);
  await waitFor('the rest', async () => (await house.em().count(IdempotencyKey, {})) === 0);
  await worker.stop();
});
