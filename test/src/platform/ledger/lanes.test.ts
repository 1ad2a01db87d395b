import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { checkJobs } from '../../../../src/platform/ledger/check.ts';
import { endFailedOfSubjects } from '../../../../src/platform/ledger/end-subjects.ts';
import { lockOf, subjectLock, takeLocks } from '../../../../src/platform/ledger/locks.ts';
import { endDone, endDoneOfSubject } from '../../../../src/platform/ledger/release.ts';
import { type House, openHouse, playing } from '../../../support/house.ts';
import { setJobState } from '../../../support/rules/ledger-jobs.ts';
import { playedByLane } from '../../../support/rules/toys.ts';
import { newToy, playJob } from '../../../support/toys.ts';
import { turns } from '../../../support/turns.ts';

let house: House;
beforeAll(async () => {
  house = await openHouse(undefined, { poolMax: 20 });
});
afterAll(() => house.close());
beforeEach(async () => {
  await house.reset();
});

describe('a lane gives its turn on', () => {
  test('the end of its head makes the oldest blocked row the head, in the same transaction, and hands it over', async () => {
    const [first, second, third] = [
      await house.accept({ lane: 'a:1' }),
      await house.accept({ lane: 'a:1' }),
      await house.accept({ lane: 'a:1' }),
    ];
    await house.run(playing(), { id: first!.id });
    expect(await house.row(first!.id)).toBeUndefined();
    expect((await house.row(second!.id))?.state).toBe('queued');
    expect((await house.row(third!.id))?.state).toBe('blocked');
    expect(house.dispatched.map(({ id }) => id)).toEqual([first!.id, second!.id]);
  });

  test('an end that is rolled back gives nothing on', async () => {
    const [first, second] = [await house.accept({ lane: 'a:1' }), await house.accept({ lane: 'a:1' })];
    const work = house.ledger.transact({ locks: ['a:1'] }, async (tx) => {
      await endDone(tx, { organization_id: house.organizationId, id: first!.id, run: 1 });
      throw new Error('no');
    });
    await expect(work).rejects.toThrow('no');
    expect((await house.row(first!.id))?.state).toBe('queued');
    expect((await house.row(second!.id))?.state).toBe('blocked');
  });

  test.each([
    ['endDoneOfSubject', 'done'],
    ['endFailedOfSubjects', 'failed'],
  ])('a subject settled from outside gives its lane on (%s)', async (_, kind) => {
    const [first, second] = [await house.accept({ lane: 'a:1' }), await house.accept({ lane: 'a:1' })];
    await house.ledger.transact({ locks: ['a:1'] }, async (tx) =>
      kind === 'done'
        ? endDoneOfSubject(tx.of(house.organizationId), playJob.name, first!.toyId)
        : endFailedOfSubjects(tx.of(house.organizationId), playJob.name, [
            { subjectId: first!.toyId, error: { code: 'refused', message: 'no' } },
          ]),
    );
    expect((await house.row(second!.id))?.state).toBe('queued');
    if (kind === 'done') expect(await house.row(first!.id)).toBeUndefined();
    else expect(await house.row(first!.id)).toMatchObject({ state: 'failed', run: 2, error: { code: 'refused' } });
  });

  test('the database itself refuses two heads', async () => {
    const [, second] = [await house.accept({ lane: 'a:1' }), await house.accept({ lane: 'a:1' })];
    await expect(setJobState(house.em(), second!.id, 'queued')).rejects.toMatchObject({
      code: '23505',
    });
  });
});

describe('the lock of a lane', () => {
  test("an ordered delivery's lane is locked by its subject, whoever the endpoint is", () => {
    expect(lockOf('subject:01932d5f-3a0e-7cc4-8f4e-0242ac120004:conversation:17')).toBe('conversation:17');
    expect(lockOf('conversation:17')).toBe(subjectLock('conversation', '17'));
  });

  test('locks are taken in one order: two transactions that name them the other way round do not meet in a deadlock', async () => {
    const pair = (locks: string[]) =>
      house.database.em().transactional(async (em) => {
        await takeLocks(em as never, locks);
      });
    const all = Array.from({ length: 40 }, (_, index) => pair(index % 2 ? ['a', 'b'] : ['b', 'a']));
    await expect(Promise.all(all)).resolves.toHaveLength(40);
  });
});

test('600 jobs accepted and finished concurrently on 50 lanes: every lane has its one head, and each was played in order', async () => {
  const lanes = Array.from({ length: 50 }, (_, index) => `lane:${index}`);
  const accepted = new Map<string, string[]>(lanes.map((lane) => [lane, []]));
  let finished = 0;
  let producing = 3;

  const producer = async (offset: number) => {
    for (let turn = offset; turn < 600; turn += 3) {
      const lane = lanes[turn % lanes.length]!;
      const toyId = await newToy(house.em(), playJob.name, lane);
      await house.ledger.transact({ locks: [lane] }, async (tx) => {
        tx.enqueue(playJob, house.organizationId, { toy_id: toyId }, { lane });
        // Under the lane's lock, so that this is the order of the lane.
        accepted.get(lane)!.push(toyId);
      });
    }
    producing -= 1;
  };
  const consumer = async () => {
    while (producing > 0 || house.dispatched.length > 0) {
      const next = house.dispatched.shift();
      if (!next) await turns(1);
      else {
        await house.run(playing(), next);
        finished += 1;
      }
    }
  };
  await Promise.all([0, 1, 2].map(producer).concat(Array.from({ length: 5 }, consumer)));

  expect(finished).toBe(600);
  expect(await checkJobs(house.database)).toEqual([]);
  const left = await house.rows();
  expect(left).toEqual([]);
  const played = await playedByLane(house.em());
  for (const { lane, ids } of played) expect(ids).toEqual(accepted.get(lane));
  expect(played.flatMap(({ ids }) => ids)).toHaveLength(finished);
});
