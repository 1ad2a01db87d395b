import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import pg from 'pg';
import { AutomationRun } from '../../../../src/automation/run.entity.ts';
import { Event } from '../../../../src/platform/events/event.entity.ts';
import { uuidv7 } from '../../../../src/platform/ids.ts';
import { purges } from '../../../../src/platform/retention/purges.ts';
import { runPurge } from '../../../../src/platform/retention/run.ts';
import { Delivery, DeliveryAttempt, type DeliveryState } from '../../../../src/webhooks/endpoint.entity.ts';
import { deliverWebhookJob } from '../../../../src/webhooks/jobs.ts';
import { automationRun, rule } from '../../../support/factories/automation.ts';
import { endpoint } from '../../../support/factories/endpoint.ts';
import { type House, openHouse } from '../../../support/house.ts';
import { dayMs, idInMs, inMs } from '../../../support/rules/clock.ts';
import { deleteJobs, storeJobs } from '../../../support/rules/ledger-jobs.ts';
import { storeRow, storeRows, times } from '../../../support/rules/rows.ts';

let house: House;
let endpoints: string[];
beforeAll(async () => {
  house = await openHouse();
  const made = [1, 2].map(() => endpoint(house.ledger.transact, house.organizationId));
  endpoints = (await Promise.all(made)).map(({ id }) => id);
});
afterAll(() => house.close());
beforeEach(() => house.reset('events', 'webhook_deliveries', 'webhook_attempts'));

/** Events that happened so many days ago; their ids tell it too. */
async function events(days: number, count = 1): Promise<string[]> {
  const rows = times(count, () => ({
    id: idInMs(-days * dayMs),
    type: 'message.sent',
    subject_type: 'message',
    subject_id: uuidv7(),
    data: {},
    created_at: inMs(-days * dayMs),
  }));
  await storeRows(house.em(), house.organizationId, Event, rows);
  return rows.map(({ id }) => id);
}

/** A delivery of each event with two attempts; ended ones ended so many days ago. */
async function deliveries(eventIds: string[], state: DeliveryState, days: number, endpointId = endpoints[0]!): Promise<string[]> {
  const [em, { organizationId }] = [house.em(), house];
  const ago = -days * dayMs;
  const ids: string[] = [];
  for (const event_id of eventIds) {
    const finished_at = state === 'pending' ? null : inMs(ago);
    const id = await storeRow(em, organizationId, Delivery, {
      event_id,
      endpoint_id: endpointId,
      state,
      attempts: 2,
      finished_at,
    });
    for (const number of [1, 2])
      await storeRow(em, organizationId, DeliveryAttempt, {
        id: idInMs(ago),
        delivery_id: id,
        endpoint_id: endpointId,
        number,
        status: 500,
        duration_ms: 1,
        created_at: inMs(ago),
      });
    ids.push(id);
  }
  return ids;
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
const left = async (entity: typeof Event | typeof Delivery | typeof DeliveryAttempt) =>
  (await house.em().find(entity as typeof Event, {}, { orderBy: { id: 'asc' } })).map(({ id }) => id);

test('an event goes with its deliveries and attempts when all have ended long enough ago, in batches', async () => {
  const alone = await events(31, 15);
  const delivered = await events(31, 8);
  await deliveries(delivered, 'succeeded', 31);
  await deliveries(delivered, 'failed', 31, endpoints[1]);
  const young = await events(29);
  await deliveries(young, 'succeeded', 29);
  expect(await purge('events')).toEqual({ events: alone.length + 8, webhook_deliveries: 16, batches: 3 });
  expect(await left(Event)).toEqual(young);
  expect(await left(Delivery)).toHaveLength(1);
  expect(await left(DeliveryAttempt)).toHaveLength(2);
});

test('a delivery that waits keeps its event and the other deliveries of it, and holds up nothing behind it', async () => {
  const pinned = await events(40, 25);
  await deliveries(pinned, 'pending', 40);
  await deliveries(pinned, 'succeeded', 40, endpoints[1]);
  const free = await events(31, 25);
  expect(await purge('events')).toEqual({ events: 25, webhook_deliveries: 0, batches: 6 });
  expect(await left(Event)).toEqual([...pinned].sort());
  expect(await left(Delivery)).toHaveLength(50);
  expect(free).toHaveLength(25);
});

test('a delivery that ended a moment ago keeps its event', async () => {
  const late = await events(31);
  await deliveries(late, 'succeeded', 1);
  expect(await purge('events')).toMatchObject({ events: 0, webhook_deliveries: 0 });
});

test('a failed delivery stays as long as its job can be retried', async () => {
  const [delivery] = await deliveries(await events(40), 'failed', 35);
  await storeJobs(house.em(), house.organizationId, {
    name: deliverWebhookJob.name,
    subjectType: deliverWebhookJob.subjectType,
    subjectIds: [delivery!],
    state: 'failed',
    finishedInMs: 0,
  });
  expect(await purge('events')).toMatchObject({ events: 0, webhook_deliveries: 0 });
  await deleteJobs(house.em());
  expect(await purge('events')).toMatchObject({ events: 1, webhook_deliveries: 1 });
});

test('a run that lives keeps the event that began it, and the one it waited for', async () => {
  const [began, woke, free] = await events(40, 3);
  const { id: ruleId } = await rule(house.em(), house.organizationId);
  const { id } = await automationRun(house.em(), house.organizationId, { ruleId, state: 'running' });
  await house.em().nativeUpdate(AutomationRun, { id }, { event_id: began!, position: { at: [1], event_id: woke } });
  expect(await purge('events')).toMatchObject({ events: 1 });
  expect(await left(Event)).toEqual([began, woke].sort());
  expect(free).toBeDefined();
  await house.em().nativeUpdate(AutomationRun, { id }, { state: 'succeeded', ended_at: inMs(0) });
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
  expect(await left(Event)).toEqual([both[0]]);
  expect(await purge('events')).toMatchObject({ events: 1, webhook_deliveries: 1 });
});

test('attempts after 30 days, whatever their delivery does', async () => {
  const [event] = await events(90);
  const [delivery] = await deliveries([event!], 'pending', 31);
  await deliveries([event!], 'pending', 29, endpoints[1]);
  expect(await purge('webhook_attempts')).toEqual({ webhook_attempts: 2, batches: 1 });
  expect(await house.em().count(DeliveryAttempt, { delivery_id: delivery! })).toBe(0);
  expect(await left(DeliveryAttempt)).toHaveLength(2);
});
