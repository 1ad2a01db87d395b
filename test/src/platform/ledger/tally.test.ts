import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Registry } from 'prom-client';
import { AppError } from '../../../../src/platform/errors.ts';
import { createTransact } from '../../../../src/platform/ledger/transact.ts';
import { createTallies } from '../../../../src/platform/metrics/tallies.ts';
import { type House, openHouse } from '../../../support/house.ts';

const colours = { name: 'test_colours_total', help: 'Of a test', label: 'colour', values: ['red', 'green'] as const };

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

const counted = () => {
  const registry = new Registry();
  const transact = createTransact(house.database, () => undefined, undefined, createTallies(registry, [colours]));
  const read = async () => {
    const { values } = await registry.getSingleMetric(colours.name)!.get();
    return Object.fromEntries(values.map(({ labels, value }) => [labels.colour, value]));
  };
  return { transact, read };
};

test('what a transaction counts is 0 from the start, and there once it is committed', async () => {
  const { transact, read } = counted();
  expect(await read()).toEqual({ red: 0, green: 0 });
  let meanwhile: unknown;
  await transact({}, async (tx) => {
    tx.of(house.organizationId).count(colours, 'red');
    tx.count(colours, 'red');
    meanwhile = await read();
  });
  expect(meanwhile).toEqual({ red: 0, green: 0 });
  await transact({ isOneTrip: true }, async (tx) => tx.count(colours, 'green'));
  expect(await read()).toEqual({ red: 2, green: 1 });
});

test('one that is undone counts nothing, one that is repeated counts once', async () => {
  const { transact, read } = counted();
  const undone = transact({}, async (tx) => {
    tx.count(colours, 'green');
    throw new AppError('conflict', 'no');
  });
  await expect(undone).rejects.toMatchObject({ code: 'conflict' });
  let tries = 0;
  await transact({}, async (tx) => {
    tx.count(colours, 'red');
    tries += 1;
    if (tries < 3) await tx.query(`do $$ begin raise exception using errcode = '40001'; end $$`);
  });
  expect([tries, await read()]).toEqual([3, { red: 1, green: 0 }]);
});
