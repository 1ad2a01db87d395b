import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { endDoneOfSubjects, endFailedOfSubjects } from '../../../../src/platform/ledger/end-subjects.ts';
import { LocksOutdated } from '../../../../src/platform/ledger/locks.ts';
import type { PartText } from '../../../../src/platform/ledger/part.ts';
import { endDone, RunOver } from '../../../../src/platform/ledger/release.ts';
import { Afterwards } from '../../../../src/platform/ledger/tx.ts';
import { type House, openHouse } from '../../../support/house.ts';
import { countRoundTrips } from '../../../support/round-trips.ts';
import { playWith } from '../../../support/rules/toys.ts';
import { newToy, playJob } from '../../../support/toys.ts';
import { waitFor } from '../../../support/wait-for.ts';

let house: House;
let trips: ReturnType<typeof countRoundTrips>;
beforeAll(async () => {
  house = await openHouse();
  trips = countRoundTrips(house.database.pool);
});
afterAll(() => house.close());
beforeEach(() => house.reset());

/** Does not read from `ended`: only the assertion of the end undoes it. */
const effect = (toyId: string, assertion?: PartText) => ({
  text: (id: string) => `touched as (update toys set effects = effects + 1 where id = ${id} returning effects)`,
  params: [toyId],
  ...(assertion && { assertion }),
});
const write = (
  id: string,
  run: number,
  toyId: string,
  { locks = ['a:1'], assertion }: { locks?: string[]; assertion?: PartText } = {},
) =>
  house.ledger.transact({ locks, isOneTrip: true }, async (tx) => {
    tx.include(effect(toyId, assertion));
    endDone(tx, { organization_id: house.organizationId, id, run, lane: null }, { isAsserted: true });
  });

test('locks, effect, end and commit are one round trip', async () => {
  const { id, toyId } = await house.accept();
  expect(await trips.during(() => write(id, 1, toyId))).toBe(1);
  expect((await house.toy(toyId)).effects).toBe(1);
  expect(await house.row(id)).toBeUndefined();
});

test.each([
  ['with locks', ['a:1']],
  ['without locks', []],
])('a run that is over undoes what was written with its end, %s', async (_what, locks) => {
  const { id, toyId } = await house.accept();
  await expect(write(id, 2, toyId, { locks })).rejects.toThrow(RunOver);
  expect((await house.toy(toyId)).effects).toBe(0);
  expect((await house.row(id))!.state).toBe('queued');
});

test('of two ends at once one has its effect', async () => {
  const { id, toyId } = await house.accept();
  const ends = await Promise.allSettled([write(id, 1, toyId), write(id, 1, toyId)]);
  expect(ends.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  expect((await house.toy(toyId)).effects).toBe(1);
});

test('an assertion that does not hold undoes the write, which is repeated from its look', async () => {
  const { id, toyId } = await house.accept();
  let looks = 0;
  const look = async () => {
    looks += 1;
    return looks === 3 ? 'true' : 'effects > 1';
  };
  await house.ledger.transact({ look, locks: () => ['a:1'], isOneTrip: true }, async (tx, condition) => {
    tx.include(effect(toyId, () => `exists (select 1 from touched where ${condition})`));
    endDone(tx, { organization_id: house.organizationId, id, run: 1, lane: null }, { isAsserted: true });
  });
  expect(looks).toBe(3);
  expect((await house.toy(toyId)).effects).toBe(1);
});

test('an assertion has the parameters of its own part, whatever stands before it', async () => {
  const { id, toyId } = await house.accept();
  const untouched: PartText = (toy) => `exists (select 1 from toys where id = ${toy} and effects = 0)`;
  await write(id, 1, toyId, { assertion: untouched });
  expect((await house.toy(toyId)).effects).toBe(1);
  const second = await house.accept();
  await expect(write(second.id, 1, toyId, { assertion: untouched })).rejects.toThrow(LocksOutdated);
  expect((await house.toy(toyId)).effects).toBe(1);
  expect((await house.row(second.id))!.state).toBe('queued');
});

test('in a transaction of several statements it undoes them all', async () => {
  const { toyId } = await house.accept();
  const writing = house.ledger.transact({ locks: ['a:1'] }, async (tx) => {
    await playWith(tx.em, toyId);
    tx.include(effect(toyId, () => 'exists (select 1 from touched where effects > 100)'));
  });
  await expect(writing).rejects.toThrow(LocksOutdated);
  expect((await house.toy(toyId)).effects).toBe(0);
});

describe('a write whose result is kept', () => {
  const keptWith = (toyId: string, { claim = 'true', jobToyId = toyId, kept = '$1' } = {}) =>
    house.ledger.transact(
      {
        locks: ['a:1'],
        isOneTrip: true,
        once: {
          claims: [{ text: `select assert_that(${claim}, 'KN009')`, params: [] }],
          kept: (effects) => ({ text: `update toys set reason = ${kept} where id = $2`, params: [`had ${effects}`, toyId] }),
        },
      },
      async (tx) => {
        tx.include({ ...effect(toyId), gives: 'touched' });
        tx.enqueue(playJob, house.organizationId, { toy_id: jobToyId });
        return new Afterwards(() => tx.given<{ effects: number }>('touched')!.effects);
      },
    );

  test('takes one round trip more, and is one transaction with what it keeps', async () => {
    const { toyId } = await house.accept();
    const toyOfJob = await newToy(house.em(), playJob.name);
    let result: unknown;
    const work = async () => {
      result = await keptWith(toyId, { jobToyId: toyOfJob });
    };
    expect(await trips.during(work)).toBe(2);
    expect(result).toBe(1);
    expect(await house.toy(toyId)).toMatchObject({ effects: 1, reason: 'had 1' });
    expect((await house.rows()).map(({ subject_id }) => subject_id)).toContain(toyOfJob);
  });

  test.each([
    ['a claim that does not hold', { claim: 'false' }, 'KN009'],
    ['an error in keeping it', { kept: '$1 || (1 / 0)::text' }, '22012'],
  ])('%s undoes it', async (_what, wrong, code) => {
    const { toyId } = await house.accept();
    await expect(keptWith(toyId, wrong)).rejects.toMatchObject({ code });
    expect(await house.toy(toyId)).toMatchObject({ effects: 0, reason: null });
    expect(await house.rows()).toHaveLength(1);
    expect(house.dispatched).toHaveLength(1);
  });

  test('a claim is asked for under the locks', async () => {
    const { toyId } = await house.accept();
    const lock = `select pg_advisory_xact_lock(hashtextextended('a:1', 0))`;
    const holder = new pg.Client({ connectionString: house.url });
    await holder.connect();
    await holder.query(`begin; ${lock}`);
    const claim = `not exists (select 1 from toys where id = '${toyId}' and status = 'claimed')`;
    const late = keptWith(toyId, { claim });
    await holder.query(`update toys set status = 'claimed' where id = $1`, [toyId]);
    await holder.query('commit');
    await holder.end();
    await expect(late).rejects.toMatchObject({ code: 'KN009' });
    expect((await house.toy(toyId)).effects).toBe(0);
  });
});

test('many locks of one round trip are taken one by one, in their order', async () => {
  const { id, toyId } = await house.accept();
  const locks = Array.from({ length: 9 }, (_, index) => `a:${index + 1}`);
  const holder = new pg.Client({ connectionString: house.url });
  await holder.connect();
  await holder.query(`begin; select pg_advisory_xact_lock(hashtextextended('a:6', 0))`);
  const late = write(id, 1, toyId, { locks: locks.toReversed() });
  const ofWaiter = () =>
    house.sql<{ lock: string; granted: boolean }>(
      `select x.lock, l.granted
         from pg_locks l
         join unnest($1::text[]) as x(lock) on hashtextextended(x.lock, 0) = (l.classid::bigint << 32 | l.objid::bigint)
        where l.locktype = 'advisory' and l.database = (select oid from pg_database where datname = current_database())
          and l.pid = (select pid from pg_locks where locktype = 'advisory' and not granted)
        order by x.lock`,
      [locks],
    );
  await waitFor('the wait', async () => (await ofWaiter()).length > 0);
  expect(await ofWaiter()).toEqual([1, 2, 3, 4, 5, 6].map((number) => ({ lock: `a:${number}`, granted: number < 6 })));
  await holder.query('commit');
  await holder.end();
  await late;
  expect((await house.toy(toyId)).effects).toBe(1);
});

test('the jobs of several subjects end together, and each lane gets its next head', async () => {
  const lanes = ['a:1', 'a:2', 'a:3'];
  const heads = [];
  const nexts = [];
  for (const lane of lanes) {
    heads.push(await house.accept({ lane }));
    nexts.push(await house.accept({ lane }));
  }
  const toyIds = heads.map(({ toyId }) => toyId);
  await house.ledger.transact({ locks: lanes, isOneTrip: true }, async (tx) => {
    const own = tx.of(house.organizationId);
    endDoneOfSubjects(own, playJob.name, toyIds.slice(0, 2));
    endFailedOfSubjects(own, playJob.name, [{ subjectId: toyIds[2]!, error: { code: 'refused', message: 'no' } }]);
  });
  expect(await Promise.all(heads.map(async ({ id }) => (await house.row(id))?.state))).toEqual([undefined, undefined, 'failed']);
  expect((await house.row(heads[2]!.id))!.error).toEqual({ code: 'refused', message: 'no' });
  expect(await Promise.all(nexts.map(async ({ id }) => (await house.row(id))!.state))).toEqual(['queued', 'queued', 'queued']);
  expect(house.dispatched.map(({ id }) => id)).toEqual(expect.arrayContaining(nexts.map(({ id }) => id)));
});
