import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { ownRows } from '../../../../src/platform/database/own.ts';
import { Event } from '../../../../src/platform/events/event.entity.ts';
import { subjectLock } from '../../../../src/platform/ledger/locks.ts';
import { findOperation, operationStatus } from '../../../../src/platform/ledger/operations.ts';
import { databaseTimer } from '../../../support/database-time.ts';
import { type House, openHouse, playing, toyHandler } from '../../../support/house.ts';
import { setJobs } from '../../../support/rules/ledger-jobs.ts';
import { playWith } from '../../../support/rules/toys.ts';
import { newToy, playJob, showJob } from '../../../support/toys.ts';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());
beforeEach(async () => {
  await house.reset();
});

const error = { code: 'busy', message: 'not now' };

describe('rule 3: done', () => {
  test('the effect, the next job and the end of the row are one transaction', async () => {
    const { id, toyId } = await house.accept({ lane: 'a:1' });
    const nextToy = await newToy(house.em(), playJob.name);
    const handler = toyHandler(playJob, (_, context) =>
      context.finish(async (tx) => {
        await playWith(tx.em, toyId);
        tx.enqueue(playJob, house.organizationId, { toy_id: nextToy }, { lane: 'a:1' });
      }),
    );
    expect(await house.run(handler, { id })).toEqual({ kind: 'done' });
    const rows = await house.rows();
    expect(rows).toEqual([expect.objectContaining({ subject_id: nextToy, state: 'queued' })]);
    expect((await house.toy(toyId)).effects).toBe(1);
  });

  test('an end that fails rolls the effect back', async () => {
    const { id, toyId } = await house.accept();
    const handler = toyHandler(playJob, (_, context) =>
      context.finish(async (tx) => {
        await playWith(tx.em, toyId);
        throw new TypeError('a bug in the end');
      }),
    );
    expect(await house.run(handler, { id })).toMatchObject({ kind: 'wait', reason: 'a bug in the end' });
    expect((await house.toy(toyId)).effects).toBe(0);
    expect(await house.row(id)).toMatchObject({ state: 'queued', attempts: 0 });
  });

  test('a visible operation is kept as done', async () => {
    const { id } = await house.accept({ contract: showJob });
    await house.run(playing(showJob), { id });
    const operation = await findOperation(ownRows(house.database, house.organizationId), id);
    expect(operation).toMatchObject({ state: 'done', error: null });
    expect(operation!.finished_at).not.toBeNull();
    expect(operationStatus(operation!)).toBe('succeeded');
  });
});

describe('rule 3: again', () => {
  test('spends a try, keeps the error and the row, and runs later', async () => {
    const { id } = await house.accept({ lane: 'a:1' });
    const next = await house.accept({ lane: 'a:1' });
    const passed = await databaseTimer(house.em());
    const ended = await house.run(
      toyHandler(playJob, (_, context) => context.again(error, { delayMs: 5_000 })),
      { id },
    );
    expect(ended).toMatchObject({ kind: 'again', delayMs: 5_000, isMoved: false });
    const row = await house.row(id);
    expect(row).toMatchObject({ state: 'queued', attempts: 1, run: 1, error });
    expect(row!.run_in + (await passed())).toBeGreaterThan(4_990);
    expect(row!.check_in).toBeGreaterThan(row!.run_in);
    expect((await house.row(next.id))?.state).toBe('blocked');
  });

  test('a later try can be another queue’s: the run gets a new number there', async () => {
    const { id } = await house.accept();
    house.dispatched.length = 0;
    const handler = toyHandler(playJob, (_, context) => context.again(error, { queue: 'webhook-retries' }));
    expect(await house.run(handler, { id })).toMatchObject({ kind: 'again', isMoved: true });
    expect(await house.row(id)).toMatchObject({ queue: 'webhook-retries', run: 2, attempts: 1 });
    expect(house.dispatched).toEqual([expect.objectContaining({ id, run: 2, queue: 'webhook-retries' })]);
    await house.run(handler, { id, run: 2 });
    expect(await house.row(id)).toMatchObject({ queue: 'webhook-retries', run: 2, attempts: 2 });
  });

  test('the try that was the last fails for good', async () => {
    const { id } = await house.accept();
    await setJobs(house.em(), { attempts: 2 }, { id });
    const handler = toyHandler(playJob, (_, context) => context.again(error));
    expect(await house.run(handler, { id })).toMatchObject({ kind: 'failed' });
    expect((await house.row(id))?.state).toBe('failed');
  });
});

test('rule 3: wait moves only the time', async () => {
  const { id } = await house.accept();
  const passed = await databaseTimer(house.em());
  await house.run(
    toyHandler(playJob, (_, context) => context.wait(7_000, { reason: 'a rate' })),
    { id },
  );
  const row = await house.row(id);
  expect(row).toMatchObject({ state: 'queued', attempts: 0, run: 1, error: null });
  expect(row!.run_in + (await passed())).toBeGreaterThan(6_990);
});

describe('rule 3: failed', () => {
  const failing = (contract = playJob) => toyHandler(contract, (_, context) => context.fail(error));

  test('is written back to its subject and gives the lane on', async () => {
    const { id, toyId } = await house.accept({ lane: 'a:1' });
    const next = await house.accept({ lane: 'a:1' });
    expect(await house.run(failing(), { id })).toEqual({ kind: 'failed', error });
    expect(await house.row(id)).toMatchObject({ state: 'failed', error, run: 1 });
    expect(await house.toy(toyId)).toMatchObject({ status: 'failed', reason: 'busy' });
    expect((await house.row(next.id))?.state).toBe('queued');
  });

  test('of an operation it is an event too', async () => {
    const { id } = await house.accept({ contract: showJob });
    await house.run(failing(showJob), { id });
    const events = await house.em().find(Event, {});
    expect(events).toMatchObject([{ type: 'operation.failed', subject_id: id, data: { code: 'busy' } }]);
    expect(operationStatus((await findOperation(ownRows(house.database, house.organizationId), id))!)).toBe('failed');
  });
});

describe('rule 8: a job that runs twice at once', () => {
  test('has its effect once, whichever ends first', async () => {
    for (let turn = 0; turn < 10; turn += 1) {
      const { id, toyId } = await house.accept({ lane: 'a:1' });
      const ends = await Promise.all([house.run(playing(), { id }), house.run(playing(), { id })]);
      expect(ends.map(({ kind }) => kind).sort()).toEqual(['done', 'stale']);
      expect((await house.toy(toyId)).effects).toBe(1);
    }
  });

  test('without a lane as well', async () => {
    const { id, toyId } = await house.accept();
    const ends = await Promise.all(Array.from({ length: 5 }, () => house.run(playing(), { id })));
    expect(ends.filter(({ kind }) => kind === 'done')).toHaveLength(1);
    expect((await house.toy(toyId)).effects).toBe(1);
  });

  test('and failed here, done there, ends in one way', async () => {
    const { id, toyId } = await house.accept({ lane: 'a:1' });
    // Both have begun before one ends: a run that begins later finds a failed row, and says so.
    const { promise: bothBegan, resolve: begun } = Promise.withResolvers<void>();
    let began = 0;
    const meet = () => {
      began += 1;
      if (began === 2) begun();
      return bothBegan;
    };
    const done = toyHandler(playJob, async (payload, context) => {
      await meet();
      return playing().run(payload, context);
    });
    const failing = toyHandler(playJob, async (_, context) => {
      await meet();
      return context.fail(error);
    });
    const ends = await Promise.all([house.run(done, { id }), house.run(failing, { id })]);
    const { status } = await house.toy(toyId);
    expect(ends.map(({ kind }) => kind).sort()).toEqual([status, 'stale'].sort());
  });
});

test('the lock of an operation is its own subject’s', () => expect(subjectLock('operation', '1')).toBe('operation:1'));
