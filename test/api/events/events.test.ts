import { beforeAll, describe, expect, test } from '@jest/globals';
import { uuidv7 } from '../../../src/platform/ids.ts';
import { type Body, type Reply, type Tenant, useApp } from '../../support/app.ts';
import { contactEvent, storedEvents } from '../../support/stored/api-events.ts';
import { storedDeliveries } from '../../support/stored/webhooks.ts';
import { waitFor } from '../../support/wait-for.ts';

const app = useApp();
type Query = Record<string, string | number | boolean>;

let tenant: Tenant;
let conversation: string;
/** Oldest first, a minute apart. */
let stored: { id: string; type: string; created_at: string }[];
const types = ['message.new', 'message.sent', 'contact.created', 'conversation.updated'];
const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();

beforeAll(async () => {
  tenant = await app.organization();
  conversation = uuidv7();
  await app.rows(
    `insert into events (id, organization_id, type, subject_type, subject_id, data, created_at)
     select uuidv7(-(20 - n) * interval '1 min'), $1, ($2::text[])[1 + n % 4], case when n % 5 = 0 then 'conversation' else 'contact' end,
            case when n % 5 = 0 then $3 else uuidv7() end, jsonb_build_object('n', n), clock_timestamp() - (20 - n) * interval '1 min'
       from generate_series(0, 19) n`,
    [tenant.organizationId, types, conversation],
  );
  stored = await storedEvents.all(
    app,
    { organization_id: tenant.organizationId },
    { columns: ['id', 'type', 'created_at'], orderBy: 'seq' },
  );
  await allSettled();
});

/** Transactions of other tests hold the oldest-first list back for a moment. */
const allSettled = () =>
  waitFor('all events to be settled', async () => {
    const { body } = await list({ order: 'asc', limit: 100 });
    return body.items.length === stored.length;
  });

const list = (query: Query = {}, key = tenant.key) => app.call('events.list', { key, query });
const idsOf = ({ body }: Reply): string[] => body.items.map(({ id }: Body) => id);
const ids = (...places: number[]) => places.map((place) => stored[place]!.id);
const every = (rows: { id: string }[]) => rows.map(({ id }) => id);

async function walk(query: Query): Promise<string[]> {
  const seen: string[] = [];
  for (let cursor: string | undefined; ; ) {
    const reply = await list({ ...query, ...(cursor && { cursor }) });
    expect(reply.status).toBe(200);
    seen.push(...idsOf(reply));
    cursor = reply.body.meta.next_cursor;
    if (!reply.body.meta.has_more) return seen;
  }
}

test('one event is what its receivers get, and its subject', async () => {
  const { body, status } = await app.call('events.get', { key: tenant.key, params: { eventID: stored[5]!.id } });
  expect(status).toBe(200);
  expect(body).toEqual({
    id: stored[5]!.id,
    type: stored[5]!.type,
    timestamp: new Date(stored[5]!.created_at).toISOString(),
    organization_id: tenant.organizationId,
    data: { n: 5 },
    subject: { type: 'conversation', id: conversation },
  });
  expect((await list({ order: 'asc' })).body.items[5]).toEqual(body);
});

test.each(['01932d5f-3a0e-7cc4-8f4e-0242ac120005', 'x'])('no event %s: 404', async (eventID) => {
  expect((await app.call('events.get', { key: tenant.key, params: { eventID } })).body.error.message).toBe('Event not found');
});

describe('pages', () => {
  test.each([1, 3, 7, 100])('of %i, newest first and oldest first, show each event once', async (limit) => {
    expect(await walk({ limit, order: 'asc' })).toEqual(every(stored));
    expect(await walk({ limit })).toEqual(every(stored).reverse());
  });

  test('newest first they end; oldest first the last cursor goes on with what happens later', async () => {
    const other = await app.organization();
    const emit = () => contactEvent(app, other.organizationId);
    const none = await list({ order: 'asc' }, other.key);
    expect([none.body.items, none.body.meta.has_more]).toEqual([[], false]);
    const first = await emit();
    const next = await waitFor('the first', async () => {
      const reply = await list({ order: 'asc', cursor: none.body.meta.next_cursor }, other.key);
      return reply.body.items.length > 0 && reply;
    });
    expect(idsOf(next)).toEqual([first]);
    const second = await emit();
    const last = await waitFor('the second', async () => {
      const reply = await list({ order: 'asc', cursor: next.body.meta.next_cursor }, other.key);
      return reply.body.items.length > 0 && reply;
    });
    expect(idsOf(last)).toEqual([second]);
    const newest = await list({}, other.key);
    expect(idsOf(newest)).toEqual([second, first]);
    expect(newest.body.meta).toEqual({ has_more: false, limit: 25 });
  });

  test('a cursor of the newest-first list is of its filters; one of the oldest-first list is a place, whatever the filters', async () => {
    const { next_cursor: down } = (await list({ limit: 2 })).body.meta;
    expect((await list({ limit: 2, cursor: down, type: 'message.*' })).status).toBe(400);
    expect((await list({ limit: 2, cursor: down, order: 'asc' })).status).toBe(400);
    const { next_cursor: up } = (await list({ limit: 2, order: 'asc' })).body.meta;
    expect((await list({ limit: 2, cursor: up })).status).toBe(400);
    const rest = await list({ cursor: up, order: 'asc', type: 'message.new' });
    expect(idsOf(rest)).toEqual(ids(4, 8, 12, 16));
  });

  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const decode = (cursor: string) => JSON.parse(Buffer.from(cursor, 'base64url').toString()) as string[];
  test.each([
    ['text', 'one'],
    ['a number', 1],
    ['more than the database counts', '9'.repeat(19)],
    ['below zero', '-1'],
    ['nothing', ''],
  ])('%s in place of the number: 400', async (_what, forged) => {
    for (const order of ['asc', 'desc']) {
      const [binding] = decode((await list({ limit: 1, order })).body.meta.next_cursor);
      expect((await list({ order, cursor: encode([binding, forged]) })).status).toBe(400);
    }
  });
});

describe('filters', () => {
  const orders = ['asc', 'desc'] as const;

  test.each([
    ['message.new', [0, 4, 8, 12, 16]],
    ['message.*', [0, 1, 4, 5, 8, 9, 12, 13, 16, 17]],
    ['contact.created, message.new', [0, 2, 4, 6, 8, 10, 12, 14, 16, 18]],
    ['*', [...Array(20).keys()]],
    ['*,message.new', [...Array(20).keys()]],
    ['template.status_update', []],
  ])('type=%s, in pages of two', async (type, places) => {
    expect(await walk({ type, limit: 2, order: 'asc' })).toEqual(ids(...places));
    expect(await walk({ type, limit: 2 })).toEqual(ids(...places).reverse());
  });

  test('subject, alone and with a type', async () => {
    const subject = `conversation:${conversation}`;
    expect(await walk({ subject, order: 'asc', limit: 3 })).toEqual(ids(0, 5, 10, 15));
    expect(await walk({ subject: subject.toUpperCase(), limit: 3 })).toEqual(ids(15, 10, 5, 0));
    expect(await walk({ subject, type: 'message.sent', order: 'asc' })).toEqual(ids(5));
    expect(await walk({ subject: `contact:${conversation}` })).toEqual([]);
  });

  test.each(orders)('since, %s', async (order) => {
    const from = stored.slice(-5);
    const since = new Date(new Date(from[0]!.created_at).getTime() - 1_000).toISOString();
    const found = await walk({ since, order, limit: 2 });
    expect(found).toEqual(order === 'asc' ? every(from) : every(from).reverse());
    expect(await walk({ since: minutesAgo(60 * 24), order })).toHaveLength(20);
    expect(await walk({ since: minutesAgo(-5), order })).toEqual([]);
  });

  test('since finds the first event of any time, whatever else the database holds', async () => {
    for (const [place, { created_at }] of stored.entries()) {
      const since = new Date(new Date(created_at).getTime() - 1).toISOString();
      expect([place, (await walk({ since, order: 'asc', limit: 100 }))[0]]).toEqual([place, stored[place]!.id]);
    }
  });

  test('delivered=false: what an endpoint has not taken, tests left out; delivered=true: what all have', async () => {
    const endpoints = await Promise.all(
      [1, 2].map(async () => {
        const body = { url: 'http://127.0.0.1:9/', event_types: ['message.new'] };
        return (await app.call('webhooks.endpoints.create', { key: tenant.key, body })).body.id;
      }),
    );
    const deliver = (place: number, endpoint: number, state: string, isTest = false) =>
      storedDeliveries.add(app, {
        organization_id: tenant.organizationId,
        event_id: stored[place]!.id,
        endpoint_id: endpoints[endpoint],
        state,
        is_test: isTest,
      });
    await deliver(1, 0, 'succeeded');
    await deliver(2, 0, 'succeeded');
    await deliver(2, 1, 'failed');
    await deliver(3, 0, 'pending');
    await deliver(4, 0, 'failed', true);
    await deliver(5, 0, 'succeeded');
    await deliver(5, 1, 'succeeded');
    expect(await walk({ delivered: false, order: 'asc', limit: 1 })).toEqual(ids(2, 3));
    expect(await walk({ delivered: false })).toEqual(ids(3, 2));
    expect(await walk({ delivered: true, order: 'asc', limit: 1 })).toEqual(ids(1, 5));
    expect(await walk({ delivered: false, type: 'contact.*', order: 'asc' })).toEqual(ids(2));
  });
});

test('a page compares a bounded number of events: it may be empty, and its cursor goes on behind them', async () => {
  const { organizationId, key } = await app.organization();
  await app.rows(
    `insert into events (id, organization_id, type, subject_type, subject_id, data)
     select uuidv7(), $1, case when n in (1, 20500) then 'contact.deleted' else 'contact.updated' end, 'contact', uuidv7(), '{}'
       from generate_series(1, 20600) n
      order by n`,
    [organizationId],
  );
  for (const order of ['asc', 'desc']) {
    const query = { type: 'contact.deleted', order, limit: 5 };
    const first = await waitFor('the events to be settled', async () => {
      const reply = await list(query, key);
      return (order === 'desc' || reply.body.items.length > 0) && reply;
    });
    expect([first.body.items.length, first.body.meta.has_more]).toEqual([1, true]);
    const second = await list({ ...query, cursor: first.body.meta.next_cursor }, key);
    expect([second.body.items.length, second.body.meta.has_more]).toEqual([1, false]);
    expect(idsOf(second)).not.toEqual(idsOf(first));
  }
});

describe('refused', () => {
  test.each([
    ['type', 'message'],
    ['type', 'mess*'],
    ['type', 'message.new,lost.*'],
    ['type', ''],
    ['subject', 'conversation'],
    ['subject', 'conversation:x'],
    ['subject', `conversation:${'0'.repeat(36)}`],
    ['since', 'yesterday'],
    ['since', '2026-02-30'],
    ['since', '2026-01-01T00:00:00'],
    ['since', '2020-01-01'],
    ['delivered', 'maybe'],
    ['order', 'up'],
    ['limit', 0],
    ['limit', 101],
    ['include_total', true],
    ['cursor_name', 'a b'],
    ['cursor_name', 'x'.repeat(65)],
  ])('%s=%s: 422 naming it', async (name, value) => {
    const reply = await list({ [name]: value });
    expect([reply.status, reply.body.error.details[0].field]).toEqual([422, name]);
  });

  test('a time before which none are kept says how long they are', async () => {
    const { body } = await list({ since: minutesAgo(60 * 24 * 32) });
    expect(body.error).toMatchObject({ code: 'invalid_request', details: [{ field: 'since', code: 'before_retention' }] });
    expect(body.error.message).toContain('30 days');
    expect((await list({ since: minutesAgo(60 * 24 * 30 + 60) })).status).toBe(200);
  });
});

test("another organization's events are not listed, and one of them is a 404", async () => {
  const other = await app.organization();
  for (const order of ['asc', 'desc']) {
    expect(idsOf(await list({ order }, other.key))).toEqual([]);
    expect(idsOf(await list({ order, subject: `conversation:${conversation}` }, other.key))).toEqual([]);
    expect(idsOf(await list({ order, delivered: false }, other.key))).toEqual([]);
  }
  const { next_cursor: cursor } = (await list({ order: 'asc', limit: 1 })).body.meta;
  expect(idsOf(await list({ order: 'asc', cursor }, other.key))).toEqual([]);
  expect((await app.call('events.get', { key: other.key, params: { eventID: stored[0]!.id } })).status).toBe(404);
});

test('a filter by type takes a place among the expensive reads of the organization; the plain list does not', async () => {
  let goOn: () => void = () => undefined;
  const gate = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  const held = app.web.deps.reads.dear(tenant.organizationId, () => gate);
  let isAnswered = false;
  const filtered = list({ type: 'message.*' }).then((reply) => {
    isAnswered = true;
    return reply;
  });
  expect((await list()).status).toBe(200);
  expect((await list({ subject: `conversation:${conversation}` })).status).toBe(200);
  expect(isAnswered).toBe(false);
  goOn();
  await held;
  expect((await filtered).status).toBe(200);
});
