import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { liveJobs, liveJobsWithin } from '../../../../src/platform/metrics/figures.ts';
import { type House, openHouse } from '../../../support/house.ts';

type Row = { queue: string; state: string; is_later: boolean; jobs: number; overdue: number };
type Given = { count?: number; state: string; pool?: string; queue?: string; attempts?: number; age?: string; lane?: string };

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
beforeEach(() => house.reset());
afterAll(() => house.close());

const add = ({ count = 1, state, pool, queue = 'webhooks', attempts = 0, age = '0 s', lane }: Given) =>
  house.sql(
    `insert into jobs (id, organization_id, name, queue, payload, subject_type, subject_id, pool, lane, state, attempts, run_at, check_at)
     select uuidv7(), $1, 'webhooks.deliver', $2, '{}', 'webhook_delivery', uuidv7(), $3, $4, $5, $6, clock_timestamp() - $7::interval,
            clock_timestamp() - $7::interval + interval '5 s'
       from generate_series(1, $8::int)`,
    [house.organizationId, queue, pool ?? null, lane ?? null, state, attempts, age, count],
  );
const hold = (pool: string) =>
  house.sql(`insert into pools (organization_id, id, width, held_until) values ($1, $2, 1, 'infinity')`, [
    house.organizationId,
    pool,
  ]);
/** The jobs, and how long the oldest of them is overdue, to the minute. */
async function figures(statement = liveJobs) {
  const rows = await house.sql<Row>(statement);
  return Object.fromEntries(
    rows.map(({ queue, state, is_later, jobs, overdue }) => [
      `${queue} ${state}${is_later ? ' later' : ''}`,
      [jobs, Math.floor(overdue / 60)],
    ]),
  );
}

test('without a backlog there is nothing', async () => {
  expect(await figures()).toEqual({});
});

test('every state by queue, and later attempts apart from first ones', async () => {
  await hold('held');
  await add({ state: 'queued', pool: 'a', age: '2 min' });
  await add({ state: 'queued', pool: 'a', attempts: 1, age: '-1 hour', queue: 'webhook-retries', count: 3 });
  await add({ state: 'waiting', pool: 'a', age: '5 min', count: 2 });
  await add({ state: 'waiting', pool: 'a', attempts: 2, age: '7 min', queue: 'webhook-retries' });
  await add({ state: 'waiting', pool: 'held', age: '9 min', count: 4 });
  await add({ state: 'blocked', pool: 'held', lane: 'l', age: '11 min' });
  await add({ state: 'blocked', lane: 'l', age: '13 min', queue: 'messages' });
  await add({ state: 'queued', age: '1 min', queue: 'default' });
  expect(await figures()).toEqual({
    'webhooks queued': [1, 2],
    'webhook-retries queued later': [3, 0],
    'webhooks waiting': [2, 5],
    'webhook-retries waiting later': [1, 7],
    'webhooks held': [5, 11],
    'messages blocked': [1, 13],
    'default queued': [1, 1],
  });
});

describe('with more rows than are looked at', () => {
  const small = liveJobsWithin({ looked: 30, counted: 1_000 });

  test('the backlog of one pool is counted whole and hides no other', async () => {
    await hold('held');
    await add({ state: 'waiting', pool: 'held', age: '9 min', count: 500 });
    await add({ state: 'waiting', pool: 'slow', age: '4 min', count: 3 });
    expect(await figures(small)).toEqual({ 'webhooks held': [500, 9], 'webhooks waiting': [3, 4] });
  });

  test('what is parked is counted whole and hides nothing that is queued, although it was to be looked at before', async () => {
    await add({ state: 'queued', age: '3 min', count: 2 });
    await add({ state: 'queued', age: '10 min', attempts: 1, count: 500, queue: 'webhook-retries' });
    await house.sql(`update jobs set check_at = run_at - interval '20 s' where queue = 'webhook-retries'`);
    expect(await figures(small)).toEqual({ 'webhooks queued': [2, 3], 'webhook-retries parked later': [500, 10] });
  });

  test('the head of a line stands for the rest of it', async () => {
    await add({ state: 'waiting', pool: 'a', age: '30 min', attempts: 1, count: 5, queue: 'webhook-retries' });
    await add({ state: 'waiting', pool: 'a', age: '20 min', count: 25 });
    await add({ state: 'waiting', pool: 'a', age: '10 min', count: 570 });
    expect(await figures(small)).toEqual({ 'webhook-retries waiting later': [100, 30], 'webhooks waiting': [500, 20] });
  });

  test('what is overdue in a queue comes before what is planned', async () => {
    await add({ state: 'queued', pool: 'a', attempts: 1, age: '-2 hours', count: 300, queue: 'webhook-retries' });
    await add({ state: 'queued', pool: 'b', age: '6 min' });
    const { 'webhooks queued': [first, oldest] = [], 'webhook-retries queued later': [later, planned] = [] } =
      await figures(small);
    expect([oldest, planned]).toEqual([6, 0]);
    expect(first! + later!).toBe(301);
  });

  test('beyond what is counted every pool still has its head', async () => {
    await add({ state: 'waiting', pool: 'a', age: '2 min', count: 1_500 });
    await add({ state: 'waiting', pool: 'b', age: '8 min', count: 12 });
    expect(await figures(small)).toEqual({ 'webhooks waiting': [1_012, 8] });
  });
});
