import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { Registry } from 'prom-client';
import { type DeliveryFigures, deliveryGauges } from '../../../../src/platform/metrics/delivery-figures.ts';
import { liveJobs } from '../../../../src/platform/metrics/figures.ts';
import { type House, openHouse } from '../../../support/house.ts';
import { readExposition } from '../../../support/prometheus.ts';

type Given = { queue?: string; attempts?: number; dueIn: string; isParked?: boolean };

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
beforeEach(() => house.reset());
afterAll(() => house.close());

const add = ({ queue = 'webhook-retries', attempts = 0, dueIn, isParked = false }: Given) =>
  house.sql(
    `insert into jobs (id, organization_id, name, queue, payload, subject_type, subject_id, state, attempts, run_at, check_at)
     select uuidv7(), $1, 'webhooks.deliver', $2, '{}', 'webhook_delivery', uuidv7(), 'queued', $3, due.at,
            due.at + case when $4 then interval '-20 s' else interval '5 s' end
       from (select clock_timestamp() + $5::interval as at) due`,
    [house.organizationId, queue, attempts, isParked, dueIn],
  );

/** Of each state that is shown: the deliveries, and the minutes that the oldest is overdue. */
async function shown() {
  const registry = new Registry();
  const live = await house.sql<DeliveryFigures['live'][number]>(liveJobs);
  deliveryGauges(registry).show({ live, ended: [], failing: { endpoints: 0, longest: 0 } });
  const page = readExposition(await registry.metrics());
  const value = (state: string) => [
    page.value('kanal_webhook_deliveries', { state }),
    Math.floor((page.value('kanal_webhook_deliveries_oldest_overdue_seconds', { state }) ?? 0) / 60),
  ];
  return { states: page.values('kanal_webhook_deliveries').length, pending: value('pending'), retrying: value('retrying') };
}

test('a parked later attempt is retrying, and late only once its time has come', async () => {
  await add({ attempts: 2, dueIn: '2 hours', isParked: true });
  expect(await shown()).toEqual({ states: 6, pending: [0, 0], retrying: [1, 0] });
  await add({ attempts: 3, dueIn: '-7 min', isParked: true });
  await add({ attempts: 1, dueIn: '-1 min' });
  expect(await shown()).toEqual({ states: 6, pending: [0, 0], retrying: [3, 7] });
});

test('what was replayed is in the queue of later attempts, and shown as such', async () => {
  await add({ queue: 'webhooks', dueIn: '-3 min' });
  await add({ attempts: 0, dueIn: '-5 min' });
  expect(await shown()).toEqual({ states: 6, pending: [1, 3], retrying: [1, 5] });
});

test('a first attempt that is parked is pending', async () => {
  await add({ queue: 'webhooks', dueIn: '10 min', isParked: true });
  expect(await shown()).toEqual({ states: 6, pending: [1, 0], retrying: [0, 0] });
});
