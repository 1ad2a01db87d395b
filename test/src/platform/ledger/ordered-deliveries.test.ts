import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { knowJobs } from '../../../../src/jobs.ts';
import { channelStatusUpdate, conversationUpdated } from '../../../../src/platform/events/catalogue.ts';
import { uuidv7 } from '../../../../src/platform/ids.ts';
import { checkJobs } from '../../../../src/platform/ledger/check.ts';
import { subjectLock } from '../../../../src/platform/ledger/locks.ts';
import { holdPool } from '../../../../src/platform/ledger/pools.ts';
import { endpoint } from '../../../support/factories/endpoint.ts';
import { type House, openHouse } from '../../../support/house.ts';
import { deliveredEvents, eventsInLaneOrder } from '../../../support/rules/deliveries.ts';

let house: House;
beforeAll(knowJobs);
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());
beforeEach(() => house.reset('webhook_endpoints', 'events'));

const emit = (conversationId: string, times = 1) =>
  house.ledger.transact({ locks: [subjectLock('conversation', conversationId)] }, async (tx) => {
    for (let index = 0; index < times; index += 1)
      tx.emit(conversationUpdated, { conversation_id: conversationId, status: 'open' }, { organizationId: house.organizationId });
  });
const rowsOf = async (endpointId: string) => (await house.rows()).filter((row) => row.pool === `endpoint:${endpointId}`);
/** Held, so that rows can be read as they were born. */
const heldEndpoint = async (given: Parameters<typeof endpoint>[2]) => {
  const made = await endpoint(house.ledger.transact, house.organizationId, given);
  await holdPool(house.em(), house.pool(`endpoint:${made.id}`), null);
  return made;
};

describe('deliveries of an event', () => {
  test('an endpoint with an order has a lane a subject: the second waits behind the first', async () => {
    const { id } = await heldEndpoint({ ordering: 'per_subject' });
    const [first, second] = [uuidv7(), uuidv7()];
    await emit(first);
    await emit(first);
    await emit(second);
    const rows = await rowsOf(id);
    expect(rows.map(({ state }) => state)).toEqual(['waiting', 'blocked', 'waiting']);
    expect(rows[0]!.lane).toBe(`subject:${id}:conversation:${first}`);
    expect(await checkJobs(house.database)).toEqual([]);
  });

  test('several events of one transaction keep their order', async () => {
    const { id } = await heldEndpoint({ ordering: 'per_subject' });
    await emit(uuidv7(), 3);
    const rows = await rowsOf(id);
    expect(rows.map(({ state }) => state)).toEqual(['waiting', 'blocked', 'blocked']);
    expect(await eventsInLaneOrder(house.em(), id)).toEqual(await deliveredEvents(house.em(), id));
  });

  test('an endpoint without an order has no lane', async () => {
    const { id } = await heldEndpoint({ ordering: 'best_effort' });
    await emit(uuidv7(), 3);
    expect((await rowsOf(id)).map(({ state, lane }) => [state, lane])).toEqual(Array(3).fill(['waiting', null]));
  });

  test('only the organization’s own endpoints that listen to its type have one', async () => {
    const listening = await heldEndpoint({ eventTypes: [conversationUpdated.type] });
    const other = await heldEndpoint({ eventTypes: [channelStatusUpdate.type] });
    await emit(uuidv7());
    expect(await rowsOf(listening.id)).toHaveLength(1);
    expect(await rowsOf(other.id)).toHaveLength(0);
  });

  test('emitters of one subject at once, 60 events: one head, and the lane is in the order of the events', async () => {
    const { id } = await heldEndpoint({ ordering: 'per_subject' });
    const subject = uuidv7();
    await Promise.all(Array.from({ length: 60 }, () => emit(subject)));
    const rows = await rowsOf(id);
    expect(rows).toHaveLength(60);
    expect(rows.filter(({ state }) => state === 'waiting')).toEqual([rows[0]]);
    expect(await eventsInLaneOrder(house.em(), id)).toEqual(await deliveredEvents(house.em(), id));
  });
});
