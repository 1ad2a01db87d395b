import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import pg from 'pg';
import { purges } from '../../../../src/platform/retention/purges.ts';
import { runPurge } from '../../../../src/platform/retention/run.ts';
import { automationRun, rule } from '../../../support/factories/automation.ts';
import { endpoint } from '../../../support/factories/endpoint.ts';
import { type House, openHouse } from '../../../support/house.ts';

let house: House;
let endpoints: string[];
beforeAll(async () => {
  house = await openHouse();
  const made = [1, 2].map(() => endpoint(house.ledger.transact, house.organizationId));
  endpoints = (await Promise.all(made)).map(({ id }) => id);
});
afterAll(() => house.close());
beforeEach(() => house.sql('truncate events, webhook_deliveries, webhook_attempts, jobs'));

/** Events that happened so many days ago; their ids tell it too. */
async function events(days: number, times = 1): Promise<string[]> {
  const rows = await house.sql<{ id: string }>(
    `insert into events (id, organization_id, type, subject_type, subject_id, data, created_at)
     select uuidv7(-interval '${days} days'), $1, 'message.sent', 'message', uuidv7(), '{}', clock_timestamp() - interval '${days} days' from generate_series(1, $2::int) returning id`,
    [house.organizationId, times],
  );
  return rows.map(({ id }) => id);
}

/** A delivery of each event with two attempts; ended ones ended so many days ago. */
async function deliveries(eventIds: string[], state: string, days: number, endpointId = endpoints[0]!): Promise<string[]> {
  const rows = await house.sql<{ id: string }>(
    `insert into webhook_deliveries (id, organization_id, event_id, endpoint_id, state, attempts, finished_at)
     select uuidv7(), $1, unnest($2::uuid[]), $3, $4, 2, case when $4 <> 'pending' then clock_timestamp() - interval '${days} days' end returning id`,
    [house.organizationId, eventIds, endpointId, state],
  );
  await house.sql(
    `insert into webhook_attempts (id, organization_id, delivery_id, endpoint_id, number, status, duration_ms, created_at)
     select uuidv7(-interval '${days} days'), $1, unnest($2::uuid[]), $3, n, 500, 1, clock_timestamp() - interval '${days} days' from generate_series(1, 2) n`,
    [house.organizationId, rows.map(({ id }) => id), endpointId],
  );
  return rows.map(({ id }) => id);
}

const purge = async (table: string) => {
  const batches: object[] = [];
  const { deleted } = await runPurge(purges.find((one) => one.table === table)!, {
    config: house.deps.config,
    database: house.database,
    isStopping: () => false,
    onDeleted: (some) => batches.push(some),
    batch: 10,
    pauseMs: 0,
  });
  return { ...deleted, batches: batches.length };
};
const left = async (table: string) =>
  (await house.sql<{ id: string }>(`select id from ${table} order by id`)).map(({ id }) => id);

test('an event goes with its deliveries and attempts when all have ended long enough ago, in batches', async () => {
  const alone = await events(31, 15);
  const delivered = await events(31, 8);
  await deliveries(delivered, 'succeeded', 31);
  await deliveries(delivered, 'failed', 31, endpoints[1]);
  const young = await events(29);
  await deliveries(young, 'succeeded', 29);
  expect(await purge('events')).toEqual({ events: alone.length + 8, webhook_deliveries: 16, batches: 3 });
  expect(await left('events')).toEqual(young);
  expect([(await left('webhook_deliveries')).length, (await left('webhook_attempts')).length]).toEqual([1, 2]);
});

test('a delivery that waits keeps its event and the other deliveries of it, and holds up nothing behind it', async () => {
  const pinned = await events(40, 25);
  await deliveries(pinned, 'pending', 40);
  await deliveries(pinned, 'succeeded', 40, endpoints[1]);
  const free = await events(31, 25);
  expect(await purge('events')).toEqual({ events: 25, webhook_deliveries: 0, batches: 6 });
  expect(await left('events')).toEqual([...pinned].sort());
  expect(await left('webhook_deliveries')).toHaveLength(50);
  expect(free).toHaveLength(25);
});

test('a delivery that ended a moment ago keeps its event', async () => {
  const late = await events(31);
  await deliveries(late, 'succeeded', 1);
  expect(await purge('events')).toMatchObject({ events: 0, webhook_deliveries: 0 });
});

test('a failed delivery stays as long as its job can be retried', async () => {
  const [delivery] = await deliveries(await events(40), 'failed', 35);
  await house.sql(
    `insert into jobs (id, organization_id, name, queue, payload, subject_type, subject_id, state, check_at, finished_at)
     values (uuidv7(), $1, 'webhooks.deliver', 'webhooks', '{}', 'webhook_delivery', $2, 'failed', clock_timestamp(), clock_timestamp())`,
    [house.organizationId, delivery],
  );
  expect(await purge('events')).toMatchObject({ events: 0, webhook_deliveries: 0 });
  await house.sql('delete from jobs');
  expect(await purge('events')).toMatchObject({ events: 1, webhook_deliveries: 1 });
});

test('a run that lives keeps the event that began it, and the one it waited for', async () => {
  const [began, woke, free] = await events(40, 3);
  const { id: ruleId } = await rule(house.em(), house.organizationId);
  const { id } = await automationRun(house.em(), house.organizationId, { ruleId, state: 'running' });
  await house.sql('update automation_runs set event_id = $2, position = $3 where id = $1', [
    ...[id, began, JSON.stringify({ at: [1], event_id: woke })],
  ]);
  expect(await purge('events')).toMatchObject({ events: 1 });
  expect(await left('events')).toEqual([began, woke].sort());
  expect(free).toBeDefined();
  await house.sql(`update automation_runs set state = 'succeeded', ended_at = clock_timestamp() where id = $1`, [id]);
  expect(await purge('events')).toMatchObject({ events: 2 });
});

test('one whose delivery somebody is at is passed over, without waiting, and goes next time', async () => {
  const both = await events(31, 2);
  const [locked] = await deliveries([both[0]!], 'failed', 31);
  await deliveries([both[1]!], 'failed', 31);
  const other = new pg.Client({ connectionString: house.url });
  await other.connect();
  try {
    await other.query('begin');
    await other.query(`update webhook_deliveries set state = 'pending', finished_at = null where id = $1`, [locked]);
    expect(await purge('events')).toMatchObject({ events: 1, webhook_deliveries: 1 });
    await other.query('rollback');
  } finally {
    await other.end();
  }
  expect(await left('events')).toEqual([both[0]]);
  expect(await purge('events')).toMatchObject({ events: 1, webhook_deliveries: 1 });
});

test('attempts after 30 days, whatever their delivery does', async () => {
  const [event] = await events(90);
  const [delivery] = await deliveries([event!], 'pending', 31);
  await deliveries([event!], 'pending', 29, endpoints[1]);
  expect(await purge('webhook_attempts')).toEqual({ webhook_attempts: 2, batches: 1 });
  expect(await house.sql('select 1 from webhook_attempts where delivery_id = $1', [delivery])).toEqual([]);
  expect(await left('webhook_attempts')).toHaveLength(2);
});
