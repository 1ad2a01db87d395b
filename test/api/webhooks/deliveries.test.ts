import { beforeAll, describe, expect, test } from '@jest/globals';
import { type Body, type Reply, type Tenant, useApp } from '../../support/app.ts';
import { contactEvent } from '../../support/stored/api-events.ts';
import { forgetJobs, holdPool, storedPools } from '../../support/stored/api-jobs.ts';
import { storedDeliveries, storedEndpoints } from '../../support/stored/webhooks.ts';

const app = useApp();
type Query = Record<string, string | number | boolean>;

let tenant: Tenant;
let endpointId: string;
let otherId: string;
/** Oldest first, an hour apart: 24 of the endpoint. */
let stored: { id: string; event_id: string; state: string; created_at: string }[];
const states = ['succeeded', 'failed', 'pending'];
const types = ['message.new', 'message.sent', 'contact.created', 'conversation.updated'];

beforeAll(async () => {
  tenant = await app.organization();
  [endpointId, otherId] = [await makeEndpoint(), await makeEndpoint()];
  await app.rows(
    `insert into events (id, organization_id, type, subject_type, subject_id, data, created_at)
     select uuidv7(-(24 - n) * interval '1 hour'), $1, ($2::text[])[1 + n % 4], 'contact', uuidv7(), '{}',
            clock_timestamp() - (24 - n) * interval '1 hour'
       from generate_series(0, 23) n`,
    [tenant.organizationId, types],
  );
  await app.rows(
    `insert into webhook_deliveries (id, organization_id, event_id, endpoint_id, state, attempts, next_attempt_at, created_at, finished_at)
     select uuidv7(-(24 - n) * interval '1 hour'), $1, id, $2, ($3::text[])[1 + n % 3], n % 3,
            case when n % 3 = 2 then clock_timestamp() + interval '1 hour' end, created_at, case when n % 3 < 2 then created_at end
       from (select id, created_at, row_number() over (order by id)::int - 1 as n from events where organization_id = $1) e`,
    [tenant.organizationId, endpointId, states],
  );
  stored = await storedDeliveries.all(
    app,
    { endpoint_id: endpointId },
    { columns: ['id', 'event_id', 'state', 'created_at'], orderBy: 'created_at' },
  );
  await app.rows(
    `insert into webhook_attempts (id, organization_id, delivery_id, endpoint_id, number, status, duration_ms, error_class, error, phase, phases, response_head)
     select uuidv7(), $1, id, endpoint_id, number, 500 + number, 10 * number, 'http', 'HTTP 50' || number, 'response', '{"response": 9.5, "body": 0.1}', 'HTTP/1.1 500'
       from webhook_deliveries, generate_series(1, attempts) number
      where endpoint_id = $2
      order by number`,
    [tenant.organizationId, endpointId],
  );
});

async function makeEndpoint(key = tenant.key): Promise<string> {
  const body = { url: 'http://127.0.0.1:9/', event_types: ['message.new'] };
  return (await app.call('webhooks.endpoints.create', { key, body })).body.id;
}
const list = (query: Query = {}, params = { endpointID: endpointId }, key = tenant.key) =>
  app.call('webhooks.endpoints.deliveries', { key, params, query });
const idsOf = ({ body }: Reply): string[] => body.items.map(({ id }: Body) => id);
const every = (rows: { id: string }[]) => rows.map(({ id }) => id);
const newest = (isWanted: (place: number) => boolean = () => true) =>
  every(stored.filter((_, place) => isWanted(place)).reverse());

async function walk(query: Query): Promise<string[]> {
  const seen: string[] = [];
  for (let cursor: string | undefined; ; ) {
    const reply = await list({ ...query, ...(cursor && { cursor }) });
    expect(reply.status).toBe(200);
    seen.push(...idsOf(reply));
    cursor = reply.body.meta.next_cursor;
    expect(reply.body.meta.has_more).toBe(cursor !== undefined);
    if (!cursor) return seen;
  }
}

describe('deliveries of an endpoint', () => {
  test.each([1, 5, 24, 100])('in pages of %i, newest first, each once', async (limit) => {
    expect(await walk({ limit })).toEqual(newest());
  });

  test.each(states)('of state %s', async (state) => {
    expect(await walk({ state, limit: 3 })).toEqual(newest((place) => states[place % 3] === state));
  });

  test.each([
    ['message.new', (place: number) => place % 4 === 0],
    ['message.*', (place: number) => place % 4 < 2],
    ['contact.created,conversation.updated', (place: number) => place % 4 > 1],
    ['*', () => true],
  ])('of type %s, and of a state too', async (type, isWanted) => {
    expect(await walk({ type, limit: 2 })).toEqual(newest(isWanted));
    expect(await walk({ type, state: 'failed', limit: 2 })).toEqual(newest((place) => isWanted(place) && place % 3 === 1));
  });

  test('within a time, its beginning included and its end not', async () => {
    const [since, until] = [stored[5]!.created_at, stored[9]!.created_at].map((at) => at.replace(' ', 'T'));
    expect(await walk({ since: since!, until: until! })).toEqual(newest((place) => place >= 5 && place < 9));
    expect(await walk({ since: since!, state: 'failed', limit: 1 })).toEqual(newest((place) => place >= 5 && place % 3 === 1));
    expect(await walk({ until: until!, type: 'message.new' })).toEqual(newest((place) => place < 9 && place % 4 === 0));
    expect(await walk({ since: until!, until: since! })).toEqual([]);
  });

  test('a cursor is of one endpoint and its filters', async () => {
    const { next_cursor: cursor } = (await list({ limit: 2, state: 'failed' })).body.meta;
    expect((await list({ limit: 9, state: 'failed', cursor })).status).toBe(200);
    expect((await list({ cursor })).status).toBe(400);
    expect((await list({ cursor, state: 'failed' }, { endpointID: otherId })).status).toBe(400);
    expect((await list({ cursor: 'made-up' })).status).toBe(400);
  });

  test.each([
    ['state', 'lost'],
    ['type', 'message'],
    ['since', 'soon'],
    ['since', '2020-01-01'],
    ['until', '2026-13-01'],
    ['limit', 101],
    ['endpoint_id', 'x'],
  ])('%s=%s: 422 naming it', async (name, value) => {
    const reply = await list({ [name]: value });
    expect([reply.status, reply.body.error.details[0].field]).toEqual([422, name]);
  });

  test('404 for an endpoint that was deleted, although its deliveries are kept', async () => {
    const id = await makeEndpoint();
    await app.call('webhooks.endpoints.delete', { key: tenant.key, params: { endpointID: id } });
    expect((await list({}, { endpointID: id })).status).toBe(404);
    expect((await app.call('webhooks.endpoints.stats', { key: tenant.key, params: { endpointID: id } })).status).toBe(404);
  });

  test('none of an endpoint without any; 404 for one that is not there', async () => {
    expect(idsOf(await list({}, { endpointID: otherId }))).toEqual([]);
    for (const endpointID of ['01932d5f-3a0e-7cc4-8f4e-0242ac120005', 'x'])
      expect((await list({}, { endpointID })).body.error.message).toBe('Webhook endpoint not found');
  });
});

describe('one delivery', () => {
  const get = (deliveryID: string, key = tenant.key) => app.call('webhooks.deliveries.get', { key, params: { deliveryID } });

  test('shows its event, its state, what comes next and the last attempt', async () => {
    const { body } = await get(stored[2]!.id);
    expect(body).toEqual({
      id: stored[2]!.id,
      endpoint_id: endpointId,
      event: { id: stored[2]!.event_id, type: 'contact.created' },
      state: 'pending',
      held: false,
      attempts: 2,
      next_attempt_at: expect.stringMatching(/Z$/),
      last_attempt: {
        status: 502,
        error_class: 'http',
        error: 'HTTP 502',
        phase: 'response',
        duration_ms: 20,
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      },
      is_test: false,
      created_at: new Date(stored[2]!.created_at).toISOString(),
      finished_at: null,
    });
    expect((await list()).body.items.find(({ id }: Body) => id === stored[2]!.id)).toEqual(body);
  });

  test('without an attempt there is no last one', async () => {
    expect((await get(stored[0]!.id)).body).toMatchObject({ state: 'succeeded', attempts: 0, last_attempt: null });
  });

  test('is held while its endpoint is disabled, unless it has ended', async () => {
    await storedEndpoints.change(app, endpointId, { enabled: false });
    try {
      expect((await get(stored[2]!.id)).body.held).toBe(true);
      expect((await get(stored[1]!.id)).body.held).toBe(false);
    } finally {
      await storedEndpoints.change(app, endpointId, { enabled: true });
    }
  });

  test('is not held while it is still delivered to its disabled endpoint, but for a pool that is held', async () => {
    const drain = `endpoint:${endpointId}:drain`;
    const jobIn = (pool: string) =>
      app.rows(
        `with old as (delete from jobs where subject_id = $2)
         insert into jobs (id, organization_id, name, queue, payload, subject_type, subject_id, pool, state, run_at, check_at)
         values (uuidv7(), $1, 'webhooks.deliver', 'webhook-retries', '{}', 'webhook_delivery', $2, $3, 'waiting', now(), now())`,
        [tenant.organizationId, stored[2]!.id, pool],
      );
    const isHeld = async () => [
      (await get(stored[2]!.id)).body.held,
      (await list({ state: 'pending' })).body.items.find(({ id }: Body) => id === stored[2]!.id).held,
    ];
    await storedPools.add(app, { organization_id: tenant.organizationId, id: drain, width: 10 });
    await storedEndpoints.change(app, endpointId, { enabled: false });
    try {
      await jobIn(`endpoint:${endpointId}`);
      expect(await isHeld()).toEqual([true, true]);
      await jobIn(drain);
      expect(await isHeld()).toEqual([false, false]);
      await holdPool(app, drain);
      expect(await isHeld()).toEqual([true, true]);
    } finally {
      await forgetJobs(app, stored[2]!.id);
      await storedEndpoints.change(app, endpointId, { enabled: true });
    }
  });

  test.each(['01932d5f-3a0e-7cc4-8f4e-0242ac120005', 'x'])('%s: 404', async (id) => {
    expect((await get(id)).body.error.message).toBe('Webhook delivery not found');
  });
});

describe('attempts', () => {
  const attempts = (deliveryID: string, query: Query = {}, key = tenant.key) =>
    app.call('webhooks.deliveries.attempts', { key, params: { deliveryID }, query });

  test('newest first, the last with what comes next', async () => {
    const { body } = await attempts(stored[2]!.id);
    const next = (await app.call('webhooks.deliveries.get', { key: tenant.key, params: { deliveryID: stored[2]!.id } })).body;
    expect(body.items).toEqual(
      [2, 1].map((number) => ({
        id: expect.any(String),
        number,
        trigger: 'schedule',
        status: 500 + number,
        duration_ms: 10 * number,
        phase: 'response',
        phases: { response: 9.5, body: 0.1 },
        error_class: 'http',
        error: `HTTP 50${number}`,
        response_head: 'HTTP/1.1 500',
        next_attempt_at: number === 2 ? next.next_attempt_at : null,
        created_at: expect.any(String),
      })),
    );
    expect(next.next_attempt_at).not.toBeNull();
  });

  test('in pages, with a total when asked for', async () => {
    const first = await attempts(stored[2]!.id, { limit: 1, include_total: true });
    expect(first.body.meta).toMatchObject({ has_more: true, total: 2 });
    const second = await attempts(stored[2]!.id, { limit: 1, cursor: first.body.meta.next_cursor });
    expect([second.body.items[0].number, second.body.meta.has_more]).toEqual([1, false]);
  });

  test('of a delivery that is not there: 404', async () => {
    expect((await attempts('01932d5f-3a0e-7cc4-8f4e-0242ac120005')).status).toBe(404);
  });
});

describe('deliveries of an event', () => {
  const ofEvent = (eventID: string, key = tenant.key) => app.call('events.deliveries', { key, params: { eventID } });

  test('one for each endpoint that listened', async () => {
    const twin = await storedDeliveries.add(app, {
      organization_id: tenant.organizationId,
      event_id: stored[1]!.event_id,
      endpoint_id: otherId,
      state: 'pending',
    });
    const { body } = await ofEvent(stored[1]!.event_id);
    expect(body.items.map(({ id, endpoint_id, state }: Body) => [id, endpoint_id, state])).toEqual([
      [twin, otherId, 'pending'],
      [stored[1]!.id, endpointId, 'failed'],
    ]);
    expect(body.meta.has_more).toBe(false);
  });

  test('none of an event that nobody listened to; 404 for one that is not there', async () => {
    const event = await contactEvent(app, tenant.organizationId);
    expect((await ofEvent(event)).body.items).toEqual([]);
    expect((await ofEvent('01932d5f-3a0e-7cc4-8f4e-0242ac120005')).body.error.message).toBe('Event not found');
  });
});

test("another organization's: 404", async () => {
  const { key } = await app.organization();
  const [deliveryID, eventID] = [stored[2]!.id, stored[2]!.event_id];
  expect((await list({}, { endpointID: endpointId }, key)).status).toBe(404);
  expect((await app.call('webhooks.deliveries.get', { key, params: { deliveryID } })).status).toBe(404);
  expect((await app.call('webhooks.deliveries.attempts', { key, params: { deliveryID } })).status).toBe(404);
  expect((await app.call('events.deliveries', { key, params: { eventID } })).status).toBe(404);
});
