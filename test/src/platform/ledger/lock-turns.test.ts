import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createLockTurns } from '../../../../src/platform/ledger/lock-turns.ts';
import { createTransact } from '../../../../src/platform/ledger/transact.ts';
import { holdTime } from '../../../support/fake-timers.ts';
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
  const time = holdTime();
  const turns = createLockTurns(20);
  const held = await turns.take(['b']);
  const refused = expect(turns.take(['a', 'b'])).rejects.toMatchObject(busy);
  await time.pass(20);
  await refused;
  (await turns.take(['a']))();
  held();
  (await turns.take(['b']))();
  time.goOn();
});

test('who waits for many that are quick is not refused; one that stands still is', async () => {
  const time = holdTime();
  const turns = createLockTurns(1_000, 30_000);
  // The last waits for 1,350 ms in all.
  for (const one of Array.from({ length: 10 }, () => turns.take(['a']))) {
    const giveBack = await one;
    await time.pass(150);
    giveBack();
  }
  const held = await turns.take(['a']);
  const refused = expect(turns.take(['a'])).rejects.toMatchObject(busy);
  await time.pass(1_000);
  await refused;
  held();
  time.goOn();
});

test('all in all a wait has its end', async () => {
  const time = holdTime();
  const turns = createLockTurns(300, 500);
  const quick = Array.from({ length: 30 }, async () => {
    const giveBack = await turns.take(['a']);
    await time.pass(50);
    giveBack();
  });
  const ended = await Promise.allSettled(quick);
  const served = ended.filter(({ status }) => status === 'fulfilled').length;
  // The wait begins anew at each of the first ten, which take 500 ms, and is 300 ms long: six more come in it.
  expect(served).toBeGreaterThanOrEqual(15);
  expect(served).toBeLessThanOrEqual(17);
  time.goOn();
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
