import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import pg from 'pg';
import { createOrganization } from '../../../../src/organizations/organizations.ts';
import { runId } from '../../../../src/platform/ledger/queues.ts';
import { sweep } from '../../../../src/platform/ledger/sweep.ts';
import { describeEachBackend } from '../../../support/backends.ts';
import { type House, openHouse, toyHandler } from '../../../support/house.ts';
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
  /** As if so much time had passed for these rows. */
  const pass = (ms: number, where = 'true') =>
    house.sql(
      `update jobs set run_at = run_at - $1 * interval '1 ms', check_at = check_at - $1 * interval '1 ms' where ${where}`,
      [ms],
    );
  const park = async (count: number, organizationId = house.organizationId) => {
    await house.sql(
      `insert into jobs (id, organization_id, name, queue, payload, subject_type, subject_id, state, run_at, check_at)
       select uuidv7(), $1, 'toys.play', 'default', '{}', 'toy', uuidv7(), 'queued',
              clock_timestamp() + interval '1 h', clock_timestamp() + interval '1 h' - interval '20 s'
         from generate_series(1, $2::int)`,
      [organizationId, count],
    );
  };
  const handedOver = (organizationId = house.organizationId) =>
    house.sql<{ run_in: number }>(
      `select (extract(epoch from run_at - clock_timestamp()) * 1000)::float8 as run_in
         from jobs
        where organization_id = $1 and check_at > run_at
        order by run_at`,
      [organizationId],
    );

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
    await house.sql(`update jobs set run_at = clock_timestamp(), check_at = clock_timestamp() where id = $1`, [id]);
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
    const places = (await handedOver()).map(({ run_in }) => run_in);
    expect(places.length).toBeGreaterThanOrEqual(100);
    expect(places.length).toBeLessThan(200);
    for (const [index, place] of places.entries()) if (index > 0) expect(place - places[index - 1]!).toBeGreaterThan(199);
    expect(await handedOver(other)).toHaveLength(3);
    expect(parked).toBe(places.length + 3);
    expect((await house.sql(`select 1 from jobs where check_at < run_at`)).length).toBe(303 - parked);
  });

  test('sweeps side by side give each of them once, each its own place', async () => {
    await park(300);
    await pass(hour);
    const swept = await Promise.all([sweepAt(50), sweepAt(50), sweepAt(50)]);
    await sweepAt(50);
    const places = (await handedOver()).map(({ run_in }) => Math.round(run_in));
    expect(swept.length).toBe(3);
    expect(places).toHaveLength(300);
    expect(new Set(places).size).toBe(300);
  });

  test('a line whose plan was made by a clock that was a year ahead goes on', async () => {
    await park(2);
    await house.sql(
      `insert into pools (organization_id, id, width, plan_at) values ($1, 'later:default', 1, now() + interval '1 year')`,
      [house.organizationId],
    );
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
