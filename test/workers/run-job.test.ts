import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { StorageFailed } from '../../src/media/storage/storage.ts';
import { checkJobs } from '../../src/platform/ledger/check.ts';
import { holdPool, letPoolGo, setPool } from '../../src/platform/ledger/pools.ts';
import { retryJob } from '../../src/platform/ledger/retry.ts';
import { KeyMissing } from '../../src/platform/secrets.ts';
import { ProviderBusy, ProviderFailed, ProviderRefused } from '../../src/providers/errors.ts';
import type { Ended } from '../../workers/run-job.ts';
import { databaseTimer } from '../support/database-time.ts';
import { type House, openHouse, playing, toyHandler } from '../support/house.ts';
import { playJob, showJob, throwJob } from '../support/toys.ts';
import { waitFor } from '../support/wait-for.ts';
import { jobRows, poolRows } from '../support/work/jobs.ts';
import { ahead } from '../support/work/rows.ts';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());
beforeEach(async () => {
  await house.reset();
  await setPool(house.em(), house.pool('toys'), 2, null);
});

const failing = (error: Error) => toyHandler(playJob, () => Promise.reject(error));
const state = async (id: string, values: string) => void (await house.sql(`update jobs set ${values} where id = $1`, [id]));

const faultIn = async (handler: ReturnType<typeof toyHandler>, id: string) => {
  await state(id, 'run_at = clock_timestamp()');
  return house.run(handler, { id, run: (await house.row(id))!.run });
};

describe('what a run may do', () => {
  test('rule 2: a run that is not the row’s does nothing', async () => {
    const { id, toyId } = await house.accept();
    expect(await house.run(playing(), { id, run: 2 })).toEqual({ kind: 'stale' });
    await state(id, 'run = 2');
    expect(await house.run(playing(), { id, run: 1 })).toEqual({ kind: 'stale' });
    expect((await house.toy(toyId)).effects).toBe(0);
  });

  test.each(['blocked', 'waiting', 'done'])('rule 2: a run of a row that is %s does nothing', async (name) => {
    const { id, toyId } = await house.accept({ lane: 'a:1' });
    await state(id, `state = '${name}'`);
    expect(await house.run(playing(), { id })).toEqual({ kind: 'stale' });
    expect((await house.toy(toyId)).effects).toBe(0);
  });

  test('rule 2: a run whose row was deleted does nothing', async () => {
    const { id, toyId } = await house.accept();
    await house.run(playing(), { id });
    expect(await house.run(playing(), { id })).toEqual({ kind: 'stale' });
    expect((await house.toy(toyId)).effects).toBe(1);
  });

  test('rule 2: a run before its time puts itself off and spends nothing', async () => {
    const passed = await databaseTimer(house.em());
    const { id, toyId } = await house.accept({ delayMs: 60_000 });
    const ended = await house.run(playing(), { id });
    expect(ended).toMatchObject({ kind: 'early' });
    expect((ended as { delayMs: number }).delayMs + (await passed())).toBeGreaterThan(59_990);
    expect(await house.row(id)).toMatchObject({ state: 'queued', attempts: 0, run: 1 });
    expect((await house.toy(toyId)).effects).toBe(0);
  });

  test('a run that is a moment early waits for its time and then runs', async () => {
    const passed = await databaseTimer(house.em());
    const { id } = await house.accept({ delayMs: 100 });
    expect(await house.run(playing(), { id })).toEqual({ kind: 'done' });
    expect(await passed()).toBeGreaterThan(70);
  });

  test('hold: a run that finds its pool held goes back to waiting, with a new number and in its place', async () => {
    const { id, toyId } = await house.accept({ pool: 'toys' });
    const before = await waitFor('its room', async () => {
      const row = await house.row(id);
      return row?.state === 'queued' && row;
    });
    await holdPool(house.em(), house.pool('toys'), null);
    expect(await house.run(playing(), { id })).toMatchObject({ kind: 'held' });
    expect(await house.row(id)).toMatchObject({ state: 'waiting', run: 2, seq: before.seq, slot_at: null });
    expect((await house.toy(toyId)).effects).toBe(0);
    await letPoolGo(house.em(), house.pool('toys'));
    await house.ledger.fill(house.pool('toys'));
    expect(await house.run(playing(), { id, run: 2 })).toEqual({ kind: 'done' });
  });

  test('a run without a slot whose pool is full goes back to waiting, behind those that wait', async () => {
    const first = await house.accept({ pool: 'toys' });
    await waitFor('its room', async () => (await house.row(first.id))?.state === 'queued');
    await state(first.id, 'slot_at = null');
    const [second, third] = [await house.accept({ pool: 'toys' }), await house.accept({ pool: 'toys' })];
    await house.ledger.fill(house.pool('toys'));
    const last = await house.accept({ pool: 'toys' });
    expect(await house.run(playing(), { id: first.id })).toMatchObject({ kind: 'full' });
    const rows = await house.rows();
    expect(rows.map(({ id }) => id)).toEqual([second!.id, third!.id, last.id, first.id]);
    expect(rows[3]).toMatchObject({ state: 'waiting', run: 2 });
  });

  test('a run in a lane keeps its place when its pool is full', async () => {
    const first = await house.accept({ pool: 'toys', lane: 'a:1' });
    await waitFor('its room', async () => (await house.row(first.id))?.state === 'queued');
    const before = await house.row(first.id);
    await state(first.id, 'slot_at = null');
    await Promise.all([house.accept({ pool: 'toys' }), house.accept({ pool: 'toys' })]);
    await house.ledger.fill(house.pool('toys'));
    expect(await house.run(playing(), { id: first.id })).toMatchObject({ kind: 'full' });
    expect((await house.row(first.id))?.seq).toBe(before!.seq);
  });

  const paced = async () => {
    await setPool(house.em(), house.pool('toys'), 10, 10);
    const { id } = await house.accept({ pool: 'toys' });
    await waitFor('its room', async () => (await house.row(id))?.state === 'queued');
    return id;
  };

  test('pace: a run goes as soon as the pool’s gap has passed, however late it is', async () => {
    const id = await paced();
    await state(id, `slot_at = clock_timestamp() - interval '1 h', run_at = clock_timestamp() - interval '1 h'`);
    expect(await house.run(playing(), { id })).toEqual({ kind: 'done' });
  });

  test('pace: a run that comes too soon waits here for its turn, and once', async () => {
    const id = await paced();
    const passed = await databaseTimer(house.em());
    await poolRows.change(house, {}, { tat: ahead('400 ms') });
    expect(await house.run(playing(), { id })).toEqual({ kind: 'done' });
    expect(await passed()).toBeGreaterThan(350);
  });

  test('pace: a run whose turn is far off goes back into BullMQ until then', async () => {
    const id = await paced();
    // One in ten seconds: the run is there before its turn.
    await setPool(house.em(), house.pool('toys'), 100, 0.1);
    const passed = await databaseTimer(house.em());
    await poolRows.change(house, {}, { tat: ahead('9 s'), plan_at: ahead('20 s') });
    const ended = await house.run(playing(), { id });
    expect(ended).toMatchObject({ kind: 'early' });
    expect((ended as { delayMs: number }).delayMs + (await passed())).toBeGreaterThan(19_990);
    expect((await house.row(id))!.run_in + (await passed())).toBeGreaterThan(19_990);
  });
});

describe('what comes of an error of the handler', () => {
  test('refused: failed for good, with the provider’s code', async () => {
    const { id, toyId } = await house.accept();
    await house.run(failing(new ProviderRefused('no', { code: '131026' })), { id });
    expect(await house.row(id)).toMatchObject({ state: 'failed', error: { code: 'provider_refused', provider_code: '131026' } });
    expect(await house.toy(toyId)).toMatchObject({ status: 'failed', reason: 'provider_refused' });
  });

  test('busy: waits as long as it was told and spends no attempt', async () => {
    const { id } = await house.accept();
    const passed = await databaseTimer(house.em());
    await house.run(failing(new ProviderBusy('later', { retryAfterMs: 30_000, scope: 'recipient' })), { id });
    const row = await house.row(id);
    expect(row).toMatchObject({ state: 'queued', attempts: 0 });
    expect(row!.run_in + (await passed())).toBeGreaterThan(29_990);
  });

  test('failed at the provider: an attempt is spent, the third is the last', async () => {
    const { id, toyId } = await house.accept();
    const fail = () => house.run(failing(new ProviderFailed('broken', { code: '1' })), { id });
    expect(await fail()).toMatchObject({ kind: 'again' });
    expect(await house.row(id)).toMatchObject({ attempts: 1, error: { code: 'provider_failed' } });
    expect(await fail()).toMatchObject({ kind: 'again' });
    expect(await fail()).toMatchObject({ kind: 'failed' });
    expect((await house.toy(toyId)).status).toBe('failed');
  });

  test('rule 3: a fault of our own is not the provider’s answer: it waits and spends no attempt', async () => {
    const { id } = await house.accept();
    for (let turn = 0; turn < 5; turn += 1)
      expect(await faultIn(failing(new TypeError('a bug')), id)).toMatchObject({ kind: 'wait', reason: 'a bug' });
    expect(await house.row(id)).toMatchObject({ state: 'queued', attempts: 0 });
    const [row] = await jobRows.all(house, id, ['subject_type', 'subject_id']);
    const about = { organization_id: house.organizationId, subject: `${row!.subject_type}:${row!.subject_id}` };
    expect(house.lines).toContainEqual(expect.objectContaining({ msg: 'a fault of our own', job_id: id, ...about }));
  });

  test('a fault of our own at each run is a finding of the check after 5 minutes; one that ended long ago is not', async () => {
    const { id } = await house.accept();
    const rule = 'a job gets past a fault of our own within 5 minutes';
    const faults = async (times: number) => {
      for (let time = 0; time < times; time += 1) {
        expect(await faultIn(failing(new Error('secret')), id)).toMatchObject({ kind: 'wait' });
      }
    };
    const moved = (name: string, by: string) =>
      house.sql(`update jobs set error = jsonb_set(error, array[$2], to_jsonb(clock_timestamp() - $3::interval)) where id = $1`, [
        id,
        name,
        by,
      ]);
    await faults(10);
    expect((await house.row(id))!.error).toMatchObject({ code: 'internal', times: 10 });
    expect(JSON.stringify((await house.row(id))!.error)).not.toContain('secret');
    expect(await checkJobs(house.database)).toEqual([]);
    await moved('since', '6 min');
    expect(await checkJobs(house.database)).toEqual([expect.objectContaining({ rule, id })]);
    await moved('at', '11 min');
    expect(await checkJobs(house.database)).toEqual([]);
    await faults(1);
    expect((await house.row(id))!.error).toMatchObject({ times: 1 });
  });

  const away = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
  const timedOut = Object.assign(new Error('canceling statement due to statement timeout'), { code: '57014' });

  /** As many exceptions as a job may meet before the last one. */
  const beforeTheLast = (id: string, ours = 14) =>
    state(
      id,
      `error = jsonb_build_object('code', 'internal', 'message', '', 'times', 20, 'ours', ${ours}, 'since', clock_timestamp(), 'at', clock_timestamp())`,
    );

  test('rule 3: an exception of our own waits longer each time, and the 15th fails the job, which can be retried', async () => {
    const { id, toyId } = await house.accept();
    const delays: number[] = [];
    let last: Ended | undefined;
    for (let time = 1; time <= 15; time += 1) {
      last = await faultIn(failing(new TypeError('a bug')), id);
      if ('delayMs' in last) delays.push(last.delayMs);
    }
    expect(delays).toEqual([5_000, 15_000, 60_000, 120_000, ...Array.from({ length: 10 }, () => 300_000)]);
    expect(last).toMatchObject({ kind: 'failed', error: { code: 'internal' } });
    expect(await house.row(id)).toMatchObject({ state: 'failed', attempts: 0, error: { code: 'internal' } });
    expect(await house.toy(toyId)).toMatchObject({ status: 'failed', reason: 'internal' });
    await retryJob(house.ledger.transact, id);
    expect(await house.row(id)).toMatchObject({ state: 'queued', error: null });
    expect(await house.run(playing(), { id, run: (await house.row(id))!.run })).toEqual({ kind: 'done' });
  });

  const keyMissing = new KeyMissing('A sealed value names a key that SECRET_KEY does not hold');
  const deadlock = Object.assign(new Error('deadlock detected'), { code: '40P01' });
  const storage = new StorageFailed(new Error('ENOSPC'));
  test.each<[string, Error]>([
    ['an unavailable database', away],
    ['a deadlock', deadlock],
    ['an unavailable storage', storage],
    ['a key that this process lacks', keyMissing],
  ])('rule 3: %s never counts as an exception of our own', async (_title, error) => {
    const { id } = await house.accept();
    await beforeTheLast(id);
    for (let time = 0; time < 3; time += 1)
      expect(await faultIn(failing(error), id)).toMatchObject({ kind: 'wait', delayMs: 5_000 });
    expect(await house.row(id)).toMatchObject({ state: 'queued', error: { ours: 14 } });
    expect(await faultIn(failing(timedOut), id)).toMatchObject({ kind: 'failed', error: { code: 'internal' } });
  });

  test.each<[string, Parameters<typeof toyHandler>[1]]>([
    ['in its handler', () => Promise.reject(new TypeError('a bug'))],
    ['in what it writes at its end', (_, { finish }) => finish(() => Promise.reject(new TypeError('a bug')))],
    ['in a reason that cannot be stored', (_, { again }) => again({ code: 'odd', message: 'half a pair: \ud83d' })],
  ])('rule 3: an exception counts wherever it is thrown: %s', async (_title, work) => {
    const { id } = await house.accept();
    await beforeTheLast(id, 13);
    expect(await faultIn(toyHandler(playJob, work), id)).toMatchObject({ kind: 'wait', delayMs: 300_000 });
    expect(await faultIn(toyHandler(playJob, work), id)).toMatchObject({ kind: 'failed', error: { code: 'internal' } });
    expect(await house.row(id)).toMatchObject({ state: 'failed', attempts: 0 });
  });

  test('rule 3: an exception in its claim counts, too', async () => {
    const { id } = await house.accept();
    await beforeTheLast(id);
    const handler = { ...playing(), claim: () => Promise.reject(new TypeError('a bug')) };
    expect(await faultIn(handler, id)).toMatchObject({ kind: 'failed', error: { code: 'internal' } });
  });

  test.each(['repeating', 'finishLooked'] as const)(
    'rule 3: in %s, what takes too long at each attempt counts as an exception of our own',
    async (way) => {
      let left = 6;
      let tried = 0;
      const write = async () => {
        tried += 1;
        left -= 1;
        if (left >= 0) throw timedOut;
      };
      const handler = toyHandler(playJob, async (_, context) => {
        if (way === 'finishLooked') return context.finishLooked({ look: async () => undefined, locks: () => [] }, write);
        await context.repeating({}, write);
        return context.finish();
      });
      const { id } = await house.accept();
      expect(await house.run(handler, { id })).toMatchObject({ kind: 'wait', delayMs: 5_000 });
      expect(tried).toBe(5);
      expect((await house.row(id))!.error).toMatchObject({ times: 1, ours: 1 });
      expect(house.lines).toContainEqual(expect.objectContaining({ msg: 'a fault of our own', job_id: id }));
    },
  );

  test.each(['lasting', 'settle'] as const)(
    'rule 3: in %s, an answer that has arrived is kept, however long it takes',
    async (way) => {
      const { id } = await house.accept();
      let left = 6;
      const write = async () => {
        left -= 1;
        if (left >= 0) throw timedOut;
      };
      const handler = toyHandler(playJob, async (_, context) => {
        if (way === 'settle') await context.settle({ look: async () => undefined, locks: () => [] }, write);
        else await context.lasting({}, write);
        return context.finish();
      });
      expect(await house.run(handler, { id })).toEqual({ kind: 'done' });
      expect(house.lines).toContainEqual(expect.objectContaining({ msg: 'a fault of our own', job_id: id }));
    },
  );

  test('a job that cannot even be given up waits on, and is a finding', async () => {
    const { id } = await house.accept();
    await beforeTheLast(id, 12);
    const failed = () => Promise.reject(new TypeError('another bug'));
    const handler = toyHandler({ ...playJob, failed }, () => Promise.reject(new TypeError('a bug')));
    for (let time = 13; time <= 16; time += 1)
      expect(await faultIn(handler, id)).toMatchObject({ kind: 'wait', delayMs: 300_000 });
    expect(await house.row(id)).toMatchObject({ state: 'queued', error: { ours: 16 } });
  });

  test('a payload that is not valid fails the row and never reaches the handler', async () => {
    const { id } = await house.accept();
    await state(id, `payload = '{"toy_id": "17"}'`);
    expect(await house.run(playing(), { id })).toMatchObject({ kind: 'failed', error: { code: 'internal' } });
  });
});

describe('rule 5: a run whose worker died', () => {
  /** Begins, and never ends: the worker is dead. */
  async function die(id: string, stalledCounter: number, contract = playJob) {
    await new Promise<void>((begun) => {
      const handler = toyHandler(contract, () => {
        begun();
        return new Promise(() => {});
      });
      void house.run(handler, { id, stalledCounter });
    });
  }

  test('is failed as crashed after 5 deaths at work, and 2 that may have been by chance', async () => {
    const { id, toyId } = await house.accept();
    for (let deaths = 0; deaths < 7; deaths += 1) await die(id, deaths);
    expect(await house.run(playing(), { id, stalledCounter: 7 })).toMatchObject({ kind: 'failed', error: { code: 'crashed' } });
    expect(await house.toy(toyId)).toMatchObject({ status: 'failed', reason: 'crashed', effects: 0 });
  });

  test('runs again after 4', async () => {
    const { id } = await house.accept();
    for (let deaths = 0; deaths < 6; deaths += 1) await die(id, deaths);
    expect(await house.run(playing(), { id, stalledCounter: 6 })).toEqual({ kind: 'done' });
  });

  test('deaths do not count at which it was only taken', async () => {
    const { id } = await house.accept();
    for (const deaths of [0, 1, 7, 22, 23, 40]) await die(id, deaths);
    expect(await house.run(playing(), { id, stalledCounter: 50 })).toEqual({ kind: 'done' });
  });

  test('nor those at which it was put off', async () => {
    const { id } = await house.accept();
    await state(id, `run_at = clock_timestamp() + interval '60 s'`);
    for (const stalledCounter of [2, 3, 4, 5, 6])
      expect(await house.run(playing(), { id, stalledCounter })).toMatchObject({ kind: 'early' });
    expect((await house.row(id))?.stalls).toBe(0);
  });

  test('counts from the last try that ended', async () => {
    const { id } = await house.accept();
    for (const deaths of [2, 3]) await die(id, deaths);
    expect((await house.row(id))?.stalls).toBe(2);
    expect(await house.run(failing(new ProviderFailed('broken')), { id, stalledCounter: 4 })).toMatchObject({ kind: 'again' });
    await state(id, 'run_at = clock_timestamp()');
    for (const deaths of [4, 5, 6, 7, 8]) await die(id, deaths);
    expect(await house.run(playing(), { id, stalledCounter: 9 })).toMatchObject({ error: { code: 'crashed' } });
  });

  test('is never failed when what cannot be undone may have been done', async () => {
    const { id, toyId } = await house.accept({ contract: throwJob });
    await house.sql(`update toys set status = 'sending' where id = $1`, [toyId]);
    await state(id, 'stalls = 48');
    const looking = toyHandler(throwJob, (_, context) => context.wait(60_000, { reason: 'the window' }));
    expect(await house.run(looking, { id, stalledCounter: 50 })).toMatchObject({ kind: 'wait' });
    expect((await house.toy(toyId)).status).toBe('sending');
  });
});

test('an operation says when it was first started', async () => {
  const { id } = await house.accept({ contract: showJob });
  const started = () => jobRows.all(house, id, ['started_at']);
  expect((await started())[0]?.started_at).toBeNull();
  await house.run(
    toyHandler(showJob, (_, context) => context.wait(0)),
    { id },
  );
  const [first] = await started();
  expect(first?.started_at).not.toBeNull();
  await house.run(
    toyHandler(showJob, (_, context) => context.wait(0)),
    { id },
  );
  expect(await started()).toEqual([first]);
});
