import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { JobState } from '../../../../src/platform/ledger/jobs.entity.ts';
import { holdPool, setPool } from '../../../../src/platform/ledger/pools.ts';
import { liveJobs, liveJobsWithin } from '../../../../src/platform/metrics/figures.ts';
import { deliverWebhookJob } from '../../../../src/webhooks/jobs.ts';
import { type House, openHouse } from '../../../support/house.ts';
import { inMs, minuteMs, secondMs } from '../../../support/rules/clock.ts';
import { setJobs, storeJobs } from '../../../support/rules/ledger-jobs.ts';

type Row = { queue: string; state: string; is_later: boolean; jobs: number; overdue: number };
type Given = {
  count?: number;
  state: JobState;
  pool?: string;
  queue?: string;
  attempts?: number;
  ageMinutes?: number;
  lane?: string;
};

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
beforeEach(() => house.reset());
afterAll(() => house.close());

const add = ({ ageMinutes = 0, ...given }: Given) =>
  storeJobs(house.em(), house.organizationId, {
    name: deliverWebhookJob.name,
    subjectType: deliverWebhookJob.subjectType,
    queue: 'webhooks',
    ...given,
    runInMs: -ageMinutes * minuteMs,
    checkInMs: -ageMinutes * minuteMs + 5 * secondMs,
  });
const hold = async (pool: string) => {
  await setPool(house.em(), house.pool(pool), 1, null);
  await holdPool(house.em(), house.pool(pool), null);
};
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
  await add({ state: 'queued', pool: 'a', ageMinutes: 2 });
  await add({ state: 'queued', pool: 'a', attempts: 1, ageMinutes: -60, queue: 'webhook-retries', count: 3 });
  await add({ state: 'waiting', pool: 'a', ageMinutes: 5, count: 2 });
  await add({ state: 'waiting', pool: 'a', attempts: 2, ageMinutes: 7, queue: 'webhook-retries' });
  await add({ state: 'waiting', pool: 'held', ageMinutes: 9, count: 4 });
  await add({ state: 'blocked', pool: 'held', lane: 'l', ageMinutes: 11 });
  await add({ state: 'blocked', lane: 'l', ageMinutes: 13, queue: 'messages' });
  await add({ state: 'queued', ageMinutes: 1, queue: 'default' });
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
    await add({ state: 'waiting', pool: 'held', ageMinutes: 9, count: 500 });
    await add({ state: 'waiting', pool: 'slow', ageMinutes: 4, count: 3 });
    expect(await figures(small)).toEqual({ 'webhooks held': [500, 9], 'webhooks waiting': [3, 4] });
  });

  test('what is parked is counted whole and hides nothing that is queued, although it was to be looked at before', async () => {
    await add({ state: 'queued', ageMinutes: 3, count: 2 });
    await add({ state: 'queued', ageMinutes: 10, attempts: 1, count: 500, queue: 'webhook-retries' });
    await setJobs(house.em(), { check_at: inMs(-10 * minuteMs - 20 * secondMs) }, { queue: 'webhook-retries' });
    expect(await figures(small)).toEqual({ 'webhooks queued': [2, 3], 'webhook-retries parked later': [500, 10] });
  });

  test('the head of a line stands for the rest of it', async () => {
    await add({ state: 'waiting', pool: 'a', ageMinutes: 30, attempts: 1, count: 5, queue: 'webhook-retries' });
    await add({ state: 'waiting', pool: 'a', ageMinutes: 20, count: 25 });
    await add({ state: 'waiting', pool: 'a', ageMinutes: 10, count: 570 });
    expect(await figures(small)).toEqual({ 'webhook-retries waiting later': [100, 30], 'webhooks waiting': [500, 20] });
  });

  test('what is overdue in a queue comes before what is planned', async () => {
    await add({ state: 'queued', pool: 'a', attempts: 1, ageMinutes: -120, count: 300, queue: 'webhook-retries' });
    await add({ state: 'queued', pool: 'b', ageMinutes: 6 });
    const { 'webhooks queued': [first, oldest] = [], 'webhook-retries queued later': [later, planned] = [] } =
      await figures(small);
    expect([oldest, planned]).toEqual([6, 0]);
    expect(first! + later!).toBe(301);
  });

  test('beyond what is counted every pool still has its head', async () => {
    await add({ state: 'waiting', pool: 'a', ageMinutes: 2, count: 1_500 });
    await add({ state: 'waiting', pool: 'b', ageMinutes: 8, count: 12 });
    expect(await figures(small)).toEqual({ 'webhooks waiting': [1_012, 8] });
  });
});
