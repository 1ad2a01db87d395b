import { beforeEach, describe, expect, test } from '@jest/globals';
import { streamCursor } from '../../../api/events/schemas.ts';
import { purges } from '../../../src/platform/retention/purges.ts';
import { type Body, type Reply, type Tenant, useApp } from '../../support/app.ts';
import { storedEventCursors } from '../../support/stored/api-events.ts';
import { waitFor } from '../../support/wait-for.ts';

const app = useApp();
let tenant: Tenant;
beforeEach(async () => {
  tenant = await app.organization();
});

const call = (operation: string, options: Parameters<typeof app.call>[1] = {}) =>
  app.call(`events.${operation}`, { key: tenant.key, ...options });
const create = (name: string, more: object = {}) => call('cursors.create', { body: { name, ...more } });
const ack = (cursorName: string, cursor: string) => call('cursors.ack', { params: { cursorName }, body: { cursor } });
const get = (cursorName: string) => call('cursors.get', { params: { cursorName } });
const read = (name: string, query: Record<string, string | number> = {}) =>
  call('list', { query: { cursor_name: name, ...query } });
const idsOf = ({ body }: Reply): string[] => body.items.map(({ id }: Body) => id);

/** Events that happened so many days ago. */
async function emit(times: number, days = 0): Promise<string[]> {
  const rows = await app.rows<{ id: string }>(
    `insert into events (id, organization_id, type, subject_type, subject_id, data, created_at)
     select uuidv7(-interval '${days} days'), $1, 'message.sent', 'message', uuidv7(), '{}', clock_timestamp() - interval '${days} days'
       from generate_series(1, $2::int)
     returning id`,
    [tenant.organizationId, times],
  );
  return rows.map(({ id }) => id);
}

/** Other tests' transactions hold it back for a moment. */
const readCount = (name: string, count: number, query: Record<string, string | number> = {}) =>
  waitFor(`${count} events`, async () => {
    const reply = await read(name, query);
    return reply.body.items.length === count && reply;
  });

test('a client reads, acknowledges and reads on where it stopped, as often as it likes', async () => {
  const made = await create('billing');
  expect([made.status, made.headers.get('location')]).toEqual([201, '/v1/events/cursors/billing']);
  expect(made.body).toMatchObject({ name: 'billing', event_at: null, lost_until: null });
  const events = await emit(5);
  const first = await readCount('billing', 3, { limit: 3 });
  expect([idsOf(first), first.body.meta.has_more]).toEqual([events.slice(0, 3), true]);
  // Nothing was acknowledged: a crash costs nothing.
  expect(idsOf(await readCount('billing', 3, { limit: 3 }))).toEqual(events.slice(0, 3));
  const acked = await ack('billing', first.body.meta.next_cursor);
  expect([acked.status, acked.body.cursor]).toEqual([200, first.body.meta.next_cursor]);
  const rest = await readCount('billing', 2);
  expect(idsOf(rest)).toEqual(events.slice(3));
  await ack('billing', rest.body.meta.next_cursor);
  expect(idsOf(await read('billing'))).toEqual([]);
  const later = await emit(2);
  expect(idsOf(await readCount('billing', 2))).toEqual(later);
});

test('further pages may be read before the first is acknowledged', async () => {
  await create('billing');
  const events = await emit(4);
  const first = await readCount('billing', 2, { limit: 2 });
  const second = await readCount('billing', 2, { limit: 2, cursor: first.body.meta.next_cursor });
  expect(idsOf(second)).toEqual(events.slice(2));
  await ack('billing', second.body.meta.next_cursor);
  expect(idsOf(await read('billing'))).toEqual([]);
});

test('it never goes back, and says how far it is', async () => {
  await create('billing');
  await emit(4);
  const first = await readCount('billing', 1, { limit: 1 });
  const all = await readCount('billing', 4);
  await ack('billing', all.body.meta.next_cursor);
  const late = await ack('billing', first.body.meta.next_cursor);
  expect(late.body.cursor).toBe(all.body.meta.next_cursor);
  expect(late.body.event_at).toBe(all.body.items.at(-1).timestamp);
  expect((await get('billing')).body).toEqual(late.body);
});

test('one may begin at a time', async () => {
  await emit(2, 3);
  const recent = await emit(2, 1);
  await create('billing', { since: new Date(Date.now() - 2 * 24 * 3_600_000).toISOString() });
  expect(idsOf(await readCount('billing', 2))).toEqual(recent);
});

test('clients do not disturb each other', async () => {
  await create('billing');
  await create('audit');
  const events = await emit(2);
  const { body } = await readCount('billing', 2);
  await ack('billing', body.meta.next_cursor);
  expect(idsOf(await readCount('audit', 2))).toEqual(events);
});

describe('list and delete', () => {
  test('by name; a deleted one is gone', async () => {
    for (const name of ['b', 'a', 'c']) await create(name);
    const { body } = await call('cursors.list');
    expect(body.items.map(({ name }: Body) => name)).toEqual(['a', 'b', 'c']);
    expect((await call('cursors.delete', { params: { cursorName: 'b' } })).status).toBe(204);
    expect((await call('cursors.list')).body.items).toHaveLength(2);
    expect((await call('cursors.delete', { params: { cursorName: 'b' } })).status).toBe(404);
  });

  test('at most 50, also when many are made at once', async () => {
    await storedEventCursors.addMany(app, 46, (n) => ({ organization_id: tenant.organizationId, name: `n-${n}`, seq: 0 }));
    const made = await Promise.all(Array.from({ length: 8 }, (_, index) => create(`more-${index}`)));
    const statuses = made.map(({ status }) => status).sort();
    expect(statuses).toEqual([201, 201, 201, 201, 422, 422, 422, 422]);
    expect(made.find(({ status }) => status === 422)!.body.error.code).toBe('limit_reached');
  });

  test('a name is taken once: 409', async () => {
    await create('billing');
    const again = await create('billing');
    expect([again.status, again.body.error.code]).toEqual([409, 'conflict']);
  });
});

describe('refused', () => {
  test.each(['get', 'delete', 'ack'])('%s of one that is not there: 404', async (operation) => {
    const { body } = await create('here');
    const options = { params: { cursorName: 'nowhere' }, ...(operation === 'ack' && { body: { cursor: body.cursor } }) };
    const reply = await call(`cursors.${operation}`, options);
    expect([reply.status, reply.body.error.message]).toEqual([404, 'Event cursor not found']);
  });

  test('events of a name that is not there: 404, and not those of another', async () => {
    expect((await read('nowhere')).status).toBe(404);
  });

  test('newest first: 422', async () => {
    await create('billing');
    const reply = await read('billing', { order: 'desc' });
    expect([reply.status, reply.body.error.details[0].field]).toEqual([422, 'order']);
  });

  test('a cursor that is ahead of all events: 422, and nothing that comes is skipped', async () => {
    const { body: made } = await create('billing');
    const [{ ahead }] = await app.rows(`select (last_value + 1000000)::text as ahead from events_seq_seq`);
    const reply = await ack('billing', streamCursor(ahead));
    expect([reply.status, reply.body.error.details[0].field, reply.body.error.details[0].code]).toEqual([422, 'cursor', 'ahead']);
    expect((await get('billing')).body).toEqual(made);
    const events = await emit(2);
    expect(idsOf(await readCount('billing', 2))).toEqual(events);
  });

  test('a cursor of another list: 400', async () => {
    await create('billing');
    await emit(2);
    const newest = await call('list', { query: { limit: 1 } });
    expect((await ack('billing', newest.body.meta.next_cursor)).status).toBe(400);
    expect((await ack('billing', 'made-up')).status).toBe(400);
  });

  test.each([
    [{ name: '' }, 'name'],
    [{ name: 'a/b' }, 'name'],
    [{ name: '.hidden' }, 'name'],
    [{ name: 'x'.repeat(65) }, 'name'],
    [{ since: '2026-01-01' }, 'name'],
    [{ name: 'a', since: 'soon' }, 'since'],
    [{ name: 'a', since: '2020-01-01' }, 'since'],
    [{ name: 'a', seq: 5 }, 'seq'],
  ])('%j: 422', async (body, field) => {
    const reply = await call('cursors.create', { body });
    expect([reply.status, reply.body.error.details[0].field]).toEqual([422, field]);
  });

  test("another organization's", async () => {
    const { body } = await create('billing');
    const other = await app.organization();
    const theirs = { key: other.key, params: { cursorName: 'billing' } };
    expect((await app.call('events.cursors.get', theirs)).status).toBe(404);
    expect((await app.call('events.cursors.ack', { ...theirs, body: { cursor: body.cursor } })).status).toBe(404);
    expect((await app.call('events.cursors.delete', theirs)).status).toBe(404);
    expect((await app.call('events.list', { key: other.key, query: { cursor_name: 'billing' } })).status).toBe(404);
    expect((await app.call('events.cursors.list', { key: other.key })).body.items).toEqual([]);
  });
});

test('what was purged before it was read is said; what was read is not', async () => {
  await create('slow');
  await create('quick');
  await emit(2, 40);
  const read40 = await readCount('quick', 2);
  await ack('quick', read40.body.meta.next_cursor);
  const young = await emit(1, 5);
  const { batch } = purges.find(({ table }) => table === 'events')!.steps[0]!;
  await batch(app.em(), 30, 100);
  const reply = await readCount('slow', 1);
  expect(idsOf(reply)).toEqual(young);
  const daysAgo = (Date.now() - Date.parse(reply.body.meta.lost_until)) / (24 * 3_600_000);
  expect(daysAgo).toBeCloseTo(40, 1);
  expect((await get('slow')).body.lost_until).toBe(reply.body.meta.lost_until);
  expect((await get('quick')).body.lost_until).toBeNull();
  expect((await readCount('quick', 1)).body.meta.lost_until).toBeUndefined();
});
