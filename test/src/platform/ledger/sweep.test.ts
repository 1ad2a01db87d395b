import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { UnrecoverableError } from 'bullmq';
import { runId } from '../../../../src/platform/ledger/queues.ts';
import { sweep } from '../../../../src/platform/ledger/sweep.ts';
import { describeEachBackend } from '../../../support/backends.ts';
import { hostIsAhead } from '../../../support/hosts-clock.ts';
import { type House, openHouse, playing, toyHandler } from '../../../support/house.ts';
import { stopClock } from '../../../support/later.ts';
import { inMs, minuteMs } from '../../../support/rules/clock.ts';
import { makeCheckDue, makeJobsDue, setJobs, storeJobs } from '../../../support/rules/ledger-jobs.ts';
import { playJob } from '../../../support/toys.ts';
import { waitFor } from '../../../support/wait-for.ts';

describeEachBackend('rule 4: the sweep', (makeBackend) => {
  let house: House;
  const queue = () => house.queues.queue('default')!;
  const stateOf = (id: string, run = 1) => queue().getJobState(runId({ id, run }));
  const isKnown = (id: string, run = 1) =>
    waitFor('the queue to know the run', async () => (await stateOf(id, run)) !== 'unknown');
  const makeDue = () => makeCheckDue(house.em(), { state: 'queued' });
  const forget = () => queue().obliterate({ force: true });
  const inQueue = async () => {
    const { id } = await house.accept();
    await isKnown(id);
    return id;
  };
  /** Lets BullMQ call runs over behind the ledger's back. */
  async function endRuns(count: number, fails: boolean) {
    let ended = 0;
    const worker = house.queues.backend.makeWorker(
      'default',
      async () => {
        ended += 1;
        if (fails) throw new UnrecoverableError('no');
      },
      { concurrency: 5 },
    );
    await waitFor('the runs to end', async () => ended === count);
    await worker.close();
  }

  beforeAll(async () => {
    house = await openHouse(makeBackend);
  });
  afterAll(() => house.close());
  beforeEach(async () => {
    await house.reset();
    await forget();
  });

  test('adds a run the queue does not know: a crash between commit and add', async () => {
    const id = await inQueue();
    await forget();
    expect(await stateOf(id)).toBe('unknown');
    await makeDue();
    expect(await house.sweep()).toMatchObject({ looked: 1, added: 1, rerun: 0 });
    expect(await stateOf(id)).toBe('waiting');
    expect(await house.row(id)).toMatchObject({ run: 1, state: 'queued' });
  });

  test('a row in a queue of another version is left to that one, and holds up no other', async () => {
    const [theirs, ours] = [await inQueue(), await inQueue()];
    await forget();
    await setJobs(house.em(), { queue: 'of-the-next-version' }, { id: theirs });
    await makeDue();
    expect(await house.sweep()).toMatchObject({ looked: 2, added: 1, rerun: 0 });
    expect(await stateOf(ours)).toBe('waiting');
    expect(await house.row(theirs)).toMatchObject({ run: 1, state: 'queued' });
  });

  test('a queue that has lost everything gets all of it back', async () => {
    const ids = [];
    for (let index = 0; index < 40; index += 1) ids.push((await house.accept()).id);
    await Promise.all(ids.map((id) => isKnown(id)));
    await forget();
    await makeDue();
    expect(await house.sweep()).toMatchObject({ added: 40 });
    expect(await queue().getJobCountByTypes('waiting')).toBe(40);
  });

  test('looks at more than one batch, until nothing is left to look at', async () => {
    await storeJobs(house.em(), house.organizationId, { count: 1_100 });
    expect(await house.sweepAll()).toMatchObject({ looked: 1_100, added: 1_100 });
    expect(await house.sweep()).toMatchObject({ looked: 0 });
  });

  test.each([
    ['completed', false],
    ['failed', true],
  ])('a run the queue calls %s and the row does not gets a new number', async (state, fails) => {
    const id = await inQueue();
    await endRuns(1, fails);
    await waitFor('its state', async () => (await stateOf(id)) === state);
    await makeDue();
    expect(await house.sweep()).toMatchObject({ looked: 1, added: 0, rerun: 1 });
    expect(await house.row(id)).toMatchObject({ run: 2, state: 'queued' });
    expect(await stateOf(id, 2)).toBe('waiting');
  });

  test('a run whose time has come and that the queue holds back, by a clock that was ahead, goes at once', async () => {
    const hostsClock = hostIsAhead(3_600_000);
    const { id } = await house.accept();
    await isKnown(id);
    await forget();
    await queue().add(
      'toys.play',
      { organization_id: house.organizationId, id, run: 1 },
      { jobId: runId({ id, run: 1 }), delay: 50 },
    );
    hostsClock.mockRestore();
    await setJobs(house.em(), { run_at: inMs(minuteMs) }, { id });
    await makeDue();
    expect(await house.sweep()).toMatchObject({ woken: 0 });
    expect(await stateOf(id)).toBe('delayed');
    await makeJobsDue(house.em(), { id });
    await makeDue();
    expect(await house.sweep()).toMatchObject({ looked: 1, added: 0, rerun: 0, woken: 1 });
    expect(await stateOf(id)).toBe('waiting');
  });

  test('a later try does not wait the hour that its worker was ahead', async () => {
    const hostsClock = hostIsAhead(3_600_000);
    let tries = 0;
    const worker = house.work([
      toyHandler(playJob, (_payload, context) => {
        tries += 1;
        return tries === 1 ? context.wait(400) : context.finish();
      }),
    ]);
    const { id } = await house.accept();
    await waitFor('the first try', async () => tries === 1 && (await stateOf(id)) === 'delayed');
    hostsClock.mockRestore();
    const overdue = () => house.row(id).then((row) => row !== undefined && row.run_in < 0);
    await waitFor('its time', overdue);
    expect(await stateOf(id)).toBe('delayed');
    await makeDue();
    expect(await house.sweep()).toMatchObject({ woken: 1 });
    await waitFor('the second try', () => tries === 2);
    await worker.close();
  });

  test('a new number somebody else has given meanwhile is left alone', async () => {
    const id = await inQueue();
    await endRuns(1, false);
    await makeDue();
    const overtaken = {
      ...house.queues,
      async states(rows: { id: string; run: number; queue: string }[]) {
        const states = await house.queues.states(rows);
        await setJobs(house.em(), { run: 7 }, { id });
        return states;
      },
    };
    expect(await sweep({ ...house.deps, queues: overtaken })).toMatchObject({ rerun: 0 });
    expect((await house.row(id))?.run).toBe(7);
  });

  test('leaves what waits, is delayed or runs', async () => {
    const waiting = await inQueue();
    const delayed = (await house.accept({ delayMs: 60_000 })).id;
    await isKnown(delayed);
    await makeDue();
    expect(await house.sweep()).toMatchObject({ parked: 1, looked: 1, added: 0, rerun: 0 });
    expect([await stateOf(waiting), await stateOf(delayed)]).toEqual(['waiting', 'delayed']);

    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const worker = house.queues.backend.makeWorker('default', () => held, { concurrency: 1 });
    await waitFor('the run', async () => (await stateOf(waiting)) === 'active');
    await makeDue();
    expect(await house.sweep()).toMatchObject({ added: 0, rerun: 0 });
    expect((await house.row(waiting))?.run).toBe(1);
    release();
    await worker.close();
  });

  test('a look moves the next one 30 s on, from its run when that is later', async () => {
    const id = await inQueue();
    const later = (await house.accept({ delayMs: 5_000 })).id;
    await makeDue();
    await house.sweep();
    expect((await house.row(id))!.check_in).toBeCloseTo(30_000, -4);
    expect((await house.row(later))!.check_in).toBeGreaterThan((await house.row(later))!.run_in + 29_000);
    expect(await house.sweep()).toMatchObject({ looked: 0 });
  });

  test('when the queue goes away in the middle the rows are due again at once', async () => {
    const id = await inQueue();
    await makeDue();
    const away = { ...house.queues, states: () => Promise.reject(new Error('away')) };
    await expect(sweep({ ...house.deps, queues: away })).rejects.toThrow('away');
    expect((await house.row(id))!.check_in).toBeLessThanOrEqual(0);
  });

  const acceptMany = async (count: number) => {
    for (let index = 0; index < count; index += 1) await house.accept();
    await waitFor('the queue to know them', async () => (await queue().getJobCountByTypes('waiting')) === count);
  };
  const dueNow = async () => (await house.rows()).filter(({ state, check_in }) => state === 'queued' && check_in <= 0).length;

  test('what was looked at stays so when the queue goes away in the middle, and it is asked about some at a time', async () => {
    await acceptMany(120);
    await forget();
    await makeDue();
    const asked: number[] = [];
    const away = {
      ...house.queues,
      states: (rows: { id: string; run: number; queue: string }[]) => {
        asked.push(rows.length);
        return asked.length === 2 ? Promise.reject(new Error('away')) : house.queues.states(rows);
      },
    };
    await expect(sweep({ ...house.deps, queues: away })).rejects.toThrow('away');
    expect(asked).toEqual([50, 50]);
    expect(await queue().getJobCountByTypes('waiting')).toBe(50);
    expect(await dueNow()).toBe(70);
    expect(await house.sweepAll()).toMatchObject({ looked: 70, added: 70 });
  });

  test('a slow queue is asked in turns, each of which gets on, and what is left is due again at once', async () => {
    await acceptMany(120);
    await makeDue();
    const clock = stopClock();
    const slow = {
      ...house.queues,
      states: async (rows: { id: string; run: number; queue: string }[]) => {
        clock.moveOn(600);
        return house.queues.states(rows);
      },
    };
    try {
      expect(await sweep({ ...house.deps, queues: slow })).toMatchObject({ looked: 50, isWhole: false });
    } finally {
      clock.goOn();
    }
    expect(await dueNow()).toBe(70);
  });

  test('no row is locked while the queue is asked', async () => {
    const id = await inQueue();
    await makeDue();
    let ended: unknown;
    const slow = {
      ...house.queues,
      async states(rows: unknown[]) {
        ended = await house.run(playing(), { id });
        return rows.map(() => 'waiting' as const);
      },
    };
    await sweep({ ...house.deps, queues: slow });
    expect(ended).toEqual({ kind: 'done' });
  });

  test('two sweepers at once look at each row once', async () => {
    for (let index = 0; index < 30; index += 1) await house.accept();
    await makeDue();
    const findings = await Promise.all([house.sweep(), house.sweep(), house.sweep()]);
    expect(findings.reduce((sum, { looked }) => sum + looked, 0)).toBe(30);
  });
});
