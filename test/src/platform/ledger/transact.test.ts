import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { openDatabase } from '../../../../src/open-database.ts';
import { AppError } from '../../../../src/platform/errors.ts';
import { conversationUpdated } from '../../../../src/platform/events/catalogue.ts';
import { uuidv7 } from '../../../../src/platform/ids.ts';
import { createLedger } from '../../../../src/platform/ledger/ledger.ts';
import { subjectLock } from '../../../../src/platform/ledger/locks.ts';
import { createTransact } from '../../../../src/platform/ledger/transact.ts';
import type { Tx } from '../../../../src/platform/ledger/tx.ts';
import { type House, openHouse } from '../../../support/house.ts';
import { holdTimers, stopClock } from '../../../support/later.ts';
import { collectingLog } from '../../../support/log.ts';
import { kindOfToy, newToyWithId, playWith } from '../../../support/rules/toys.ts';
import { freePort } from '../../../support/servers/child.ts';
import { newToy, playJob } from '../../../support/toys.ts';
import { waitFor } from '../../../support/wait-for.ts';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());
beforeEach(() => house.reset());

const raise = (tx: Tx, code: string) => tx.query(`do $$ begin raise exception 'made' using errcode = '${code}'; end $$`);

describe('locks named by what may change', () => {
  test('are named anew until they are the right ones', async () => {
    const named = ['a', 'b', 'c'];
    const asked: string[] = [];
    const got = await house.ledger.transact(
      { look: async () => named[asked.push('') - 1], locks: (name) => [`toy:${name}`] },
      async (tx) => {
        tx.assertLocked('toy:c');
        return 'value';
      },
    );
    expect([got, asked.length]).toEqual(['value', 3]);
  });

  test('the look decides whether one round trip is the whole transaction', async () => {
    const options = { locks: () => [], isOneTrip: (is: boolean) => is };
    const ask = (is: boolean) =>
      house.ledger.transact({ ...options, look: async () => is }, async (tx) => (await tx.query('select 1 as one'))[0]);
    await expect(ask(true)).rejects.toThrow('one round trip runs no other');
    expect(await ask(false)).toEqual({ one: 1 });
  });

  test('an event or a job of another lane has them named anew too; for ever wrong they are a 409', async () => {
    let namings = 0;
    const look = async () => {
      namings += 1;
    };
    const toyId = await newToy(house.em(), playJob.name);
    const work = house.ledger.transact({ look, locks: () => ['a:1'] }, async (tx) =>
      tx.enqueue(playJob, house.organizationId, { toy_id: toyId }, { lane: 'a:2' }),
    );
    await expect(work).rejects.toMatchObject({ code: 'conflict', retryAfterSeconds: 1 });
    expect(namings).toBe(20);
    expect(await house.rows()).toEqual([]);
  });

  test('who has a conversation’s lock may take its contact’s late: others take them in this order too', async () => {
    let turns = 0;
    const both = (late: boolean) =>
      house.ledger.transact({ locks: late ? ['conversation:1'] : ['contact:1', 'conversation:1'] }, async (tx) => {
        turns += 1;
        if (late) await tx.lockFound('contact', '1');
        tx.assertLocked('contact:1');
      });
    await Promise.all(Array.from({ length: 40 }, (_, n) => both(n % 2 === 0)));
    // A deadlock would have repeated one of them.
    expect(turns).toBe(40);
  });
});

describe('what is repeated', () => {
  test.each([
    ['a serialization failure', '40001'],
    ['a deadlock', '40P01'],
  ])('%s, in a fresh transaction', async (_, code) => {
    const toyId = await newToy(house.em(), playJob.name);
    let turns = 0;
    const value = await house.ledger.transact({}, async (tx) => {
      turns += 1;
      tx.enqueue(playJob, house.organizationId, { toy_id: toyId });
      await playWith(tx.em, toyId);
      if (turns < 3) await raise(tx, code);
      return 'value';
    });
    expect({ value, turns }).toEqual({ value: 'value', turns: 3 });
    expect((await house.toy(toyId)).effects).toBe(1);
    expect(await house.rows()).toHaveLength(1);
  });

  test('three times at most', async () => {
    let turns = 0;
    const work = house.ledger.transact({}, (tx) => {
      turns += 1;
      return raise(tx, '40001');
    });
    await expect(work).rejects.toThrow('made');
    expect(turns).toBe(3);
  });

  test('a real deadlock ends well on both sides', async () => {
    const [a, b] = [await newToy(house.em(), 'a'), await newToy(house.em(), 'b')];
    let bothHaveOne = 0;
    // One of them alone looks for deadlocks: on a loaded machine both might, and both come again.
    const both = (first: string, second: string, looksAfter: string) =>
      house.ledger.transact({}, async (tx) => {
        await tx.query(`set local deadlock_timeout = '${looksAfter}'`);
        await playWith(tx.em, first);
        bothHaveOne += 1;
        while (bothHaveOne < 2) await new Promise((resolve) => setImmediate(resolve));
        await playWith(tx.em, second);
      });
    await Promise.all([both(a, b, '1s'), both(b, a, '20s')]);
    expect([(await house.toy(a)).effects, (await house.toy(b)).effects]).toEqual([2, 2]);
    // At least one came again; the one that was let go may be overtaken once more.
    expect(bothHaveOne).toBeGreaterThanOrEqual(3);
  });

  test('a unique conflict that was named: somebody was faster, the second look finds their row', async () => {
    const id = uuidv7();
    await newToyWithId(house.em(), id, 'taken');
    let turns = 0;
    const found = await house.ledger.transact({ retryOn: ['toys_pkey'] }, async (tx) => {
      turns += 1;
      if (turns === 1) await newToyWithId(tx.em, id, 'mine');
      return kindOfToy(tx.em, id);
    });
    expect({ found, turns }).toEqual({ found: 'taken', turns: 2 });
  });

  test.each([
    ['named: three times', ['toys_pkey'], 3],
    ['not named: not at all', ['another'], 1],
  ])('a unique conflict that stays, %s', async (_, retryOn, maxTurns) => {
    const id = await newToy(house.em(), 'taken');
    let turns = 0;
    const work = house.ledger.transact({ retryOn }, (tx) => {
      turns += 1;
      return newToyWithId(tx.em, id, 'mine');
    });
    await expect(work).rejects.toThrow(/duplicate key/);
    expect(turns).toBe(maxTurns);
  });

  test('an error of the caller is not', async () => {
    let turns = 0;
    const work = house.ledger.transact({}, async () => {
      turns += 1;
      throw new AppError('conflict', 'no');
    });
    await expect(work).rejects.toMatchObject({ code: 'conflict' });
    expect(turns).toBe(1);
  });
});

test('a database that cannot be reached is a 503 that says when to come back', async () => {
  const { log } = collectingLog();
  const url = `postgresql://kanal@127.0.0.1:${await freePort()}/kanal`;
  const database = await openDatabase({ url, poolMax: 2, applicationName: 'kanal-test', log });
  const transact = createTransact(database, () => {});
  await expect(transact({}, async () => {})).rejects.toMatchObject({ code: 'unavailable', status: 503, retryAfterSeconds: 1 });
  await database.close();
});

test('a connection that is cut in the middle is a 503 too', async () => {
  const work = house.ledger.transact({}, (tx) => tx.query('select pg_terminate_backend(pg_backend_pid())'));
  await expect(work).rejects.toMatchObject({ code: 'unavailable' });
  await expect(house.ledger.transact({}, async () => 'there again')).resolves.toBe('there again');
});

test('with a bound, nothing is begun anew once it is over', async () => {
  const bounded = createTransact(house.database, () => undefined, { patienceMs: 100, lockMs: 30_000 });
  const clock = stopClock();
  let tries = 0;
  const slow = bounded({}, async (tx) => {
    tries += 1;
    clock.moveOn(150);
    await raise(tx, '40001');
  });
  await expect(slow).rejects.toMatchObject({ code: '40001' });
  expect(tries).toBe(1);
  let namings = 0;
  const look = async () => {
    namings += 1;
  };
  const outdated = bounded({ look, locks: () => ['a:1'] }, async (tx) => {
    clock.moveOn(60);
    tx.assertLocked('b:1');
  });
  await expect(outdated).rejects.toMatchObject({ code: 'conflict', retryAfterSeconds: 1 });
  clock.goOn();
  expect(namings).toBe(2);
});

describe('locks', () => {
  const emitting = (locks: string[], also?: (tx: Tx, id: string) => Promise<void>) => {
    const id = uuidv7();
    return house.ledger.transact({ locks: locks.map((lock) => lock.replace('<id>', id)) }, async (tx) => {
      await also?.(tx, id);
      return tx.emit(conversationUpdated, { conversation_id: id, status: 'open' }, { organizationId: house.organizationId });
    });
  };

  test("an event needs its subject's lock", async () => {
    await expect(emitting([])).rejects.toThrow('needs the lock conversation:');
    await expect(emitting(['conversation:<id>'])).resolves.toMatch(/-/);
  });

  test('lockNew takes the lock of a subject just made', async () => {
    await expect(emitting([], (tx, id) => tx.lockNew('conversation', id))).resolves.toMatch(/-/);
  });

  test('two transactions with the same lock run one after the other', async () => {
    const order: string[] = [];
    const turn = (name: string) =>
      house.ledger.transact({ locks: [subjectLock('toy', '1')] }, async (tx) => {
        order.push(`${name} in`);
        await tx.query('select pg_sleep(0.03)');
        order.push(`${name} out`);
      });
    await Promise.all([turn('a'), turn('b')]);
    expect(order[0]!.slice(0, 1)).toBe(order[1]!.slice(0, 1));
    expect(order).toHaveLength(4);
  });
});

describe('after the commit', () => {
  test('a request waits 100 ms for a queue that does not answer, and no longer', async () => {
    const { log } = collectingLog();
    const hanging = { ...house.queues, add: () => new Promise<void>(() => {}) };
    const ledger = createLedger({ database: house.database, queues: hanging, log, awaitsQueue: true });
    const toyId = await newToy(house.em(), playJob.name);
    const timers = holdTimers(100);
    try {
      let isOver = false;
      const writing = ledger
        .transact({}, async (tx) => tx.enqueue(playJob, house.organizationId, { toy_id: toyId }))
        .then(() => {
          isOver = true;
        });
      await waitFor('the wait for the queue', () => timers.count() === 1);
      expect(await house.rows()).toHaveLength(1);
      expect(isOver).toBe(false);
      timers.runAll();
      await writing;
    } finally {
      timers.goOn();
    }
  });

  test('a queue that is away costs nothing and fails nobody', async () => {
    const { log, lines } = collectingLog();
    const away = { ...house.queues, add: () => Promise.reject(new Error('The queue is away')) };
    const ledger = createLedger({ database: house.database, queues: away, log, awaitsQueue: true });
    const toyId = await newToy(house.em(), playJob.name);
    await ledger.transact({}, async (tx) => tx.enqueue(playJob, house.organizationId, { toy_id: toyId }));
    expect((await house.rows())[0]).toMatchObject({ state: 'queued' });
    expect(lines).toContainEqual(expect.objectContaining({ msg: 'left to the sweeper' }));
  });
});

test('what is to run at the end is refused in a transaction of one round trip, which would pass over it', async () => {
  const work = house.ledger.transact({ isOneTrip: true }, async (tx) => tx.atEnd(() => undefined));
  await expect(work).rejects.toThrow('A transaction of one round trip runs no other');
});
