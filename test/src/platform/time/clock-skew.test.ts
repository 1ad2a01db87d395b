import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { Registry } from 'prom-client';
import { openDatabase } from '../../../../src/open-database.ts';
import type { Database } from '../../../../src/platform/database/database.ts';
import { query } from '../../../../src/platform/database/query.ts';
import { now } from '../../../../src/platform/time/clock.ts';
import { type Clock, startClock } from '../../../../src/platform/time/clock-skew.ts';
import { createTestDatabase } from '../../../support/database.ts';
import { collectingLog, type LogLine } from '../../../support/log.ts';
import { setClockAhead } from '../../../support/process-clock.ts';
import { readExposition } from '../../../support/prometheus.ts';

const hourMs = 3_600_000;
let created: Awaited<ReturnType<typeof createTestDatabase>>;
let database: Database;
beforeAll(async () => {
  created = await createTestDatabase();
  database = await openDatabase({ url: created.url, poolMax: 2, applicationName: 'clock', log: collectingLog().log });
});
afterAll(async () => {
  await database.close();
  await created.drop();
  setClockAhead(0);
});

/** The host's clock, ahead by so much. */
let aheadMs = 0;
let clock: Clock | undefined;
let registry: Registry;
let lines: LogLine[];

async function start(source = database) {
  const collecting = collectingLog();
  lines = collecting.lines;
  clock = startClock({ database: source, log: collecting.log, registry, hostNow: () => Date.now() + aheadMs });
  await clock.asked;
}
const skew = async () => readExposition(await registry.metrics()).value('kanal_clock_skew_seconds');
const databaseNow = async () =>
  (await query<{ ms: number }>(database, 'select extract(epoch from clock_timestamp())::float8 * 1000 as ms'))[0]!.ms;
/** How far ours is from the database's, without the time that the question takes. */
async function offMs() {
  const before = now();
  const database = await databaseNow();
  return Math.max(before - database, database - now(), 0);
}
const warnings = () => lines.filter(({ level }) => level >= 40);

beforeEach(() => {
  aheadMs = 0;
  registry = new Registry();
  // What a process believes whose clock was wrong when it began.
  setClockAhead(hourMs);
});
afterEach(() => clock?.stop());

test('what leaves the process has the time of the database', async () => {
  expect(now() - (await databaseNow())).toBeGreaterThan(hourMs / 2);
  await start();
  expect(await offMs()).toBeLessThan(2_000);
});

test('a host that is an hour ahead is told in the log and measured', async () => {
  aheadMs = hourMs;
  await start();
  expect(await skew()).toBeCloseTo(3_600, -1);
  expect(warnings()).toEqual([
    expect.objectContaining({ skew_seconds: 3_600, msg: "the host's clock is not the database's: set it right" }),
  ]);
});

test('a host that is behind is below 0, and one that is nearly right is no line', async () => {
  aheadMs = -2_000;
  await start();
  // Off by half of the way to the database at most.
  expect(await skew()).toBeCloseTo(-2, -1);
  expect(warnings()).toEqual([]);
});

test('a database that is away says nothing, and the last answer holds', async () => {
  await start();
  clock!.stop();
  registry = new Registry();
  await start({ pool: { query: () => Promise.reject(new Error('away')) } } as unknown as Database);
  expect(await offMs()).toBeLessThan(2_000);
  expect(warnings()).toEqual([]);
});

test('the first answer is taken however late it comes, and is off by half its way at most', async () => {
  const late = async () => {
    await query(database, 'select pg_sleep(1.2)');
    return { rows: [{ ms: await databaseNow() }] };
  };
  await start({ pool: { query: late } } as unknown as Database);
  expect(await offMs()).toBeLessThan(2_000);
});
