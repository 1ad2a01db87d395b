import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import pg from 'pg';
import { createOrganization } from '../../../../src/organizations/organizations.ts';
import { Job } from '../../../../src/platform/ledger/jobs.entity.ts';
import { setPool } from '../../../../src/platform/ledger/pools.ts';
import { runId } from '../../../../src/platform/ledger/queues.ts';
import { sweep } from '../../../../src/platform/ledger/sweep.ts';
import { describeEachBackend } from '../../../support/backends.ts';
import { type House, openHouse, toyHandler } from '../../../support/house.ts';
import { dayMs, msOf } from '../../../support/rules/clock.ts';
import { moveJobsTo, passForJobs, storeParked } from '../../../support/rules/ledger-jobs.ts';
import { setPools } from '../../../support/rules/pools.ts';
import { playJob } from '../../../support/toys.ts';
import { waitFor } from '../../../support/wait-for.ts';

const [minute, hour] = [60_000, 3_600_000];

describeEachBackend('work for later', (makeBackend) => {
  let house: House;
  const queue = () => house.queues.queue('default')!;
  const stateOf = (id: string, run = 1) => queue().getJobState(runId({ id, run }));
  const inQueue = () => queue().getJobCountByTypes('waiting', 'delayed', 'active');
  const sweepAt = async (laterTriesPerSecond: number) => {
    const once = () => sweep({ ...house.deps, queues: house.queues, config: { laterTriesPerSecond } });
    const all = await once();
    for (let last = all; last.parked > 0; all.parked += last.parked) last = await once();
    return all;
  };
  const pass = (ms: number) => passForJobs(house.em(), ms);
  const park = (count: number, organizationId = house.organizationId) =>
    storeParked(house.em(), organizationId, { count, runInMs: hour });
  /** When each of those runs that the queue has got, in milliseconds of the epoch. */
  const handedOver = async (organizationId = house.organizationId) => {
    const jobs = await house.em().find(Job, { organization_id: organizationId });
    const times = jobs.map(({ run_at, check_at }) => ({ runsAt: msOf(run_at), checkedAt: msOf(check_at) }));
    return times
      .filter(({ runsAt, checkedAt }) => checkedAt > runsAt)
      .map(({ runsAt }) => runsAt)
      .sort((a, b) => a - b);
  };

  beforeAll(async () => {
    house = await openHouse(makeBackend);
  });
  afterAll(() => house.close());
  beforeEach(async () => {
    await house.reset();
    await queue().obliterate({ force: true });
  });

  test('is not in the queue until shortly before its time, and then waits there for it', async () => {
    const { id } = await house.accept({ delayMs: hour });
    await house.sweepAll();
    expect([await stateOf(id), await inQueue()]).toEqual(['unknown', 0]);
    expect((await house.row(id))?.state).toBe('queued');
    await pass(hour - 10_000);
    expect(await house.sweepAll()).toMatchObject({ parked: 1, looked: 0 });
    await waitFor('the queue to know it', async () => (await stateOf(id)) === 'delayed');
    const row = (await house.row(id))!;
    expect(row.run_in).toBeGreaterThan(0);
    expect(row.run_in).toBeLessThanOrEqual(10_000);
    expect(row.check_in).toBeGreaterThan(row.run_in);
  });

  test('due within a minute it goes to the queue at once', async () => {
    const { id } = await house.accept({ delayMs: minute });
    await waitFor('the queue to know it', async () => (await stateOf(id)) === 'delayed');
    expect(await house.sweepAll()).toMatchObject({ parked: 0 });
  });

  test('it is the head of its lane: what comes after it is blocked, and released by its end', async () => {
    const { id } = await house.accept({ lane: 'a:1', delayMs: hour });
    const second = await house.accept({ lane: 'a:1' });
    expect((await house.row(second.id))?.state).toBe('blocked');
    await moveJobsTo(house.em(), 0, { id });
    const worker = house.work([toyHandler(playJob, (_payload, context) => context.finish())]);
    await house.sweepAll();
    await waitFor('both to be done', async () => (await house.rows()).length === 0);
    await worker.close();
  });

  test('a later try after more than a minute leaves the queue with a new number, and comes back', async () => {
    let tries = 0;
    const worker = house.work([
      toyHandler(playJob, (_payload, context) => {
        tries += 1;
        if (tries === 1) return context.again({ code: 'provider_failed', message: 'no' }, { delayMs: hour });
        return tries === 2 ? context.wait(hour) : context.finish();
      }),
    ]);
    const { id } = await house.accept();
    await waitFor('the first try to end', async () => (await house.row(id))?.run === 2);
    expect(await house.row(id)).toMatchObject({ state: 'queued', attempts: 1 });
    await waitFor('its run to be over', async () => (await inQueue()) === 0);
    await pass(hour);
    await house.sweepAll();
    await waitFor('the second to end', async () => (await house.row(id))?.run === 3);
    expect(await house.row(id)).toMatchObject({ attempts: 1 });
    await pass(hour);
    await house.sweepAll();
    await waitFor('the third to end', async () => (await house.row(id)) === undefined);
    expect(tries).toBe(3);
    await worker.close();
  });

  test('a look at many that are not due reads next to none of them', async () => {
    await park(2_000);
    await house.sql('vacuum analyze jobs');
    const client = new pg.Client({ connectionString: house.url });
    await client.connect();
    try {
      await client.query('begin');
      const { rows } = await client.query('select * from hand_over_parked(100, 500)');
      const { rows: read } = await client.query<{ rows: number }>(
        `select (seq_tup_read + idx_tup_fetch)::int as rows from pg_stat_xact_user_tables where relname = 'jobs'`,
      );
      expect([rows.length, read[0]!.rows < 20, read[0]!.rows]).toEqual([0, true, read[0]!.rows]);
    } finally {
      await client.end();
    }
  });

  test('the look is planned once, and not for each of its moments', async () => {
    await park(20_000);
    await house.sql(
      `update jobs set run_at = run_at + x.later, check_at = check_at + x.later
         from (select id, row_number() over () * interval '1 s' as later from jobs) x
        where jobs.id = x.id`,
    );
    await house.sql('vacuum analyze jobs');
    const client = new pg.Client({ connectionString: house.url });
    await client.connect();
    try {
      await client.query(`load 'auto_explain'`);
      for (const name of ['log_nested_statements = on', 'log_min_duration = 0']) await client.query(`set auto_explain.${name}`);
      await client.query(`set client_min_messages = 'log'`);
      let conditions: string[] = [];
      client.on('notice', ({ message = '' }) => conditions.push(...(message.match(/\(check_at <= .+?\)/g) ?? [])));
      // PostgreSQL plans a statement five times for its values before it may keep one plan for all.
      for (let call = 0; call < 10; call += 1) {
        conditions = [];
        await client.query('select * from hand_over_parked(100, 500)');
      }
      expect(conditions).toEqual([expect.stringMatching(/^\(check_at <= \$\d+\)$/)]);
    } finally {
      await client.end();
    }
  });

  test('many that are due at once go at a rate, and keep no other organization waiting', async () => {
    const other = await createOrganization(house.em(), 'Other');
    await park(300);
    await park(3, other);
    await pass(hour);
    // Of each line what has its place in the next 20 s.
    const { parked } = await sweepAt(5);
    const places = await handedOver();
    expect(places.length).toBeGreaterThanOrEqual(100);
    expect(places.length).toBeLessThan(200);
    for (const [index, place] of places.entries()) if (index > 0) expect(place - places[index - 1]!).toBeGreaterThan(199);
    expect(await handedOver(other)).toHaveLength(3);
    expect(parked).toBe(places.length + 3);
    const parkedStill = (await house.rows()).filter((row) => row.check_in < row.run_in);
    expect(parkedStill).toHaveLength(303 - parked);
  });

  test('sweeps side by side give each of them once, each its own place', async () => {
    await park(300);
    await pass(hour);
    const swept = await Promise.all([sweepAt(50), sweepAt(50), sweepAt(50)]);
    await sweepAt(50);
    const places = (await handedOver()).map(Math.round);
    expect(swept.length).toBe(3);
    expect(places).toHaveLength(300);
    expect(new Set(places).size).toBe(300);
  });

  test('a line whose plan was made by a clock that was a year ahead goes on', async () => {
    await park(2);
    await setPool(house.em(), house.pool('later:default'), 1, null);
    await setPools(house.em(), { planInMs: 365 * dayMs });
    await pass(hour);
    await sweepAt(5);
    expect(await handedOver()).toHaveLength(2);
  });

  test('what was given while the queue forgot is found by the look that follows', async () => {
    const { id } = await house.accept({ delayMs: hour });
    await pass(hour);
    await house.sweepAll();
    await waitFor('the queue to know it', async () => (await stateOf(id)) !== 'unknown');
    await queue().obliterate({ force: true });
    await pass(minute);
    expect(await house.sweepAll()).toMatchObject({ parked: 0, looked: 1, added: 1 });
  });
});
