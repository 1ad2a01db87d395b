import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createLockTurns } from '../../../../src/platform/ledger/lock-turns.ts';
import { createTransact } from '../../../../src/platform/ledger/transact.ts';
import { type House, openHouse } from '../../../support/house.ts';
import { lockWaiters } from '../../../support/rules/database-locks.ts';
import { waitFor } from '../../../support/wait-for.ts';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

const busy = { code: 'conflict', status: 409, retryAfterSeconds: 1 };

test('who wants the same lock comes after whoever has it; another lock is free', async () => {
  const turns = createLockTurns(1_000);
  const first = await turns.take(['a', 'b']);
  let isSecond = false;
  const second = turns.take(['b', 'c']).then((giveBack) => {
    isSecond = true;
    return giveBack;
  });
  (await turns.take(['d']))();
  expect(isSecond).toBe(false);
  first();
  (await second)();
});

test('a wait in vain is a 409, and gives back what was held before it', async () => {
  const turns = createLockTurns(20);
  const held = await turns.take(['b']);
  await expect(turns.take(['a', 'b'])).rejects.toMatchObject(busy);
  (await turns.take(['a']))();
  held();
  (await turns.take(['b']))();
});

test('who waits for many that are quick is not refused; one that stands still is', async () => {
  const turns = createLockTurns(1_000, 30_000);
  const quick = Array.from({ length: 10 }, async () => {
    const giveBack = await turns.take(['a']);
    await sleep(150);
    giveBack();
  });
  await Promise.all(quick);
  const held = await turns.take(['a']);
  await expect(turns.take(['a'])).rejects.toMatchObject(busy);
  held();
});

test('all in all a wait has its end', async () => {
  const turns = createLockTurns(300, 500);
  const quick = Array.from({ length: 30 }, async () => {
    const giveBack = await turns.take(['a']);
    await sleep(50);
    giveBack();
  });
  const ended = await Promise.allSettled(quick);
  expect(ended.map(({ status }) => status)).toContain('rejected');
});

test('more than a hundred do not wait', async () => {
  const turns = createLockTurns(30_000);
  const held = await turns.take(['a']);
  let refused = 0;
  const refuse = () => {
    refused += 1;
    return undefined;
  };
  const waiting = Array.from({ length: 100 }, () => turns.take(['a']).catch(refuse));
  await expect(turns.take(['a'])).rejects.toMatchObject(busy);
  // Those before it wait as long as they may.
  expect(refused).toBe(0);
  held();
  for (const one of waiting) (await one)?.();
  expect(refused).toBe(0);
});

test('of many transactions that want one lock a single one waits in the database', async () => {
  const transact = createTransact(house.database, () => undefined, { patienceMs: 60_000, lockMs: 60_000 });
  const other = await house.database.pool.connect();
  await other.query(`begin; select pg_advisory_xact_lock(hashtextextended('subject:1', 0))`);
  const order: number[] = [];
  const work = Array.from({ length: 5 }, (_, index) => transact({ locks: ['subject:1'] }, async () => void order.push(index)));
  const waiting = () => lockWaiters(house.em(), 'advisory');
  await waitFor('one to wait', async () => (await waiting()) > 0);
  expect(house.database.connections().waiting).toBe(0);
  expect(await waiting()).toBe(1);
  await other.query('commit');
  other.release();
  await Promise.all(work);
  expect(order).toEqual([0, 1, 2, 3, 4]);
});
