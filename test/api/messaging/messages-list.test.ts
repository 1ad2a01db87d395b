import { beforeAll, describe, expect, test } from '@jest/globals';
import { type Channel, type Reply, useApp } from '../../support/app.ts';
import { storedMessages } from '../../support/stored/messaging.ts';

const app = useApp();
let channel: Channel;
let other: Channel;
let people: { id: string; contactId: string }[];

beforeAll(async () => {
  channel = await app.connect();
  other = await app.connect();
  people = [await app.conversation(channel), await app.conversation(channel), await app.conversation(other)];
  // Within one millisecond and at the very same moment: what a page of milliseconds would skip or repeat.
  for (let index = 0; index < 12; index += 1) await store(index % 2, `2026-01-01T10:00:00.00000${Math.floor(index / 2)}Z`);
  await store(2, '2026-01-01T11:00:00Z', 'failed');
});

async function store(person: number, at: string, status = 'sent'): Promise<string> {
  const { id, contactId } = people[person]!;
  return storedMessages.add(app, {
    organization_id: app.tenant.organizationId,
    channel_id: person === 2 ? other.id : channel.id,
    conversation_id: id,
    contact_id: contactId,
    direction: 'outbound',
    type: 'text',
    status,
    content: { body: 'x' },
    created_at: at,
  });
}

const list = (query: Record<string, string | number | boolean> = {}) => app.call('messages.list', { query });
const idsOf = ({ body }: Reply): string[] => body.items.map(({ id }: { id: string }) => id);

async function walk(query: Record<string, string | number | boolean>, between?: () => Promise<unknown>) {
  const pages: string[][] = [];
  for (let cursor: string | undefined; ; ) {
    const reply = await list({ ...query, ...(cursor && { cursor }) });
    expect(reply.status).toBe(200);
    expect(reply.body.meta.cursor).toBe(cursor);
    pages.push(idsOf(reply));
    cursor = reply.body.meta.next_cursor;
    expect(reply.body.meta.has_more).toBe(cursor !== undefined);
    if (!cursor) return pages;
    await between?.();
  }
}

describe('paging', () => {
  test.each([1, 2, 5, 100])('pages of %i show every message once, newest first', async (limit) => {
    const all = (await walk({ limit })).flat();
    const stored = await app.rows('select id from messages order by created_at desc, id desc');
    expect(all).toEqual(stored.map(({ id }) => id));
  });

  test('stays stable while messages arrive', async () => {
    const before = (await walk({ limit: 100 })).flat();
    const during = await walk({ limit: 3 }, () => store(0, new Date().toISOString()));
    expect(during.flat()).toEqual(before);
  });

  test('the last full page says that there is no more', async () => {
    const { body } = await list({ channel_id: other.id, limit: 1 });
    expect(body.meta).toEqual({ has_more: false, limit: 1 });
  });

  test('total only when asked for, and of the filter', async () => {
    expect((await list()).body.meta.total).toBeUndefined();
    expect((await list({ include_total: true, channel_id: other.id, limit: 1 })).body.meta.total).toBe(1);
  });

  test('25 a page unless asked otherwise', async () => {
    for (let index = 0; index < 30; index += 1) await store(0, '2026-02-01T10:00:00Z');
    const { body } = await list();
    expect([body.items.length, body.meta.limit]).toEqual([25, 25]);
  });

  test.each([0, 101, -1, 1.5, 'ten'])('limit %s: 422', async (limit) => {
    const { status, body } = await list({ limit });
    expect([status, body.error.details[0].field, body.error.details[0].location]).toEqual([422, 'limit', 'query']);
  });

  test('offset: 422 that names the cursor', async () => {
    const { status, body } = await list({ offset: 10 });
    expect(status).toBe(422);
    expect(body.error.message).toContain('cursor');
  });
});

test('counted or of several filters it waits for its place among the lists of the organization; another one does not', async () => {
  let goOn: () => void = () => undefined;
  const gate = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  const held = app.web.deps.reads.dear(app.tenant.organizationId, () => gate);
  let ended = 0;
  const queries: Record<string, string | boolean>[] = [
    { include_total: true },
    { channel_id: other.id, status: 'failed' },
    { type: 'text' },
    { conversation_id: people[0]!.id, search: 'x' },
  ];
  const dear = queries.map(async (query) => {
    const reply = await list(query);
    ended += 1;
    return reply;
  });
  expect((await list({ status: 'failed' })).status).toBe(200);
  expect((await list()).status).toBe(200);
  expect((await list({ channel_id: other.id, since: '2026-01-01' })).status).toBe(200);
  for (let read = 0; read < 5; read += 1) await list();
  expect(ended).toBe(0);
  goOn();
  await held;
  expect((await Promise.all(dear)).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
});

describe('cursors', () => {
  const cursorOf = async (query: Record<string, string | number> = {}) =>
    String((await list({ limit: 1, ...query })).body.meta.next_cursor);
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const decode = (cursor: string) => JSON.parse(Buffer.from(cursor, 'base64url').toString()) as string[];

  test.each([
    ['random text', () => 'abc'],
    ['no JSON', () => Buffer.from('{').toString('base64url')],
    ['null', () => encode(null)],
    ['another binding', (own: string[]) => encode(['x', own[1], own[2]])],
    ['a word for a time', (own: string[]) => encode([own[0], 'yesterday', own[2]])],
    ['a time that only JavaScript reads', (own: string[]) => encode([own[0], '2026', own[2]])],
    ['a time with a comment', (own: string[]) => encode([own[0], 'Jan 1 2026 (x)', own[2]])],
    ['a time out of range', (own: string[]) => encode([own[0], '+200000-01-01T00:00:00Z', own[2]])],
    ['dashes for an id', (own: string[]) => encode([own[0], own[1], '-'.repeat(36)])],
    ['a number for an id', (own: string[]) => encode([own[0], own[1], 5])],
    ['objects', (own: string[]) => encode([own[0], {}, {}])],
  ])('%s: 400', async (_what, forge) => {
    const { status, body } = await list({ cursor: forge(decode(await cursorOf())) });
    expect([status, body.error.code]).toEqual([400, 'bad_request']);
  });

  test('of other filters: 400', async () => {
    const cursor = await cursorOf();
    expect((await list({ cursor, channel_id: channel.id })).status).toBe(400);
    expect((await list({ cursor: await cursorOf({ channel_id: channel.id }) })).status).toBe(400);
  });

  test('of another list: 400', async () => {
    const cursor = await cursorOf();
    expect((await app.call('channels.list', { query: { cursor } })).status).toBe(400);
  });

  test('another page size may follow', async () => {
    const all = (await walk({ limit: 100 })).flat();
    expect(idsOf(await list({ cursor: await cursorOf(), limit: 2 }))).toEqual(all.slice(1, 3));
  });
});

describe('filters', () => {
  test('channel, conversation, contact and status', async () => {
    const [first, , third] = people;
    const queries: Record<string, string | number>[] = [
      { channel_id: other.id },
      { conversation_id: third!.id },
      { contact_id: third!.contactId },
      { status: 'failed' },
      { channel_id: channel.id, status: 'failed' },
      { conversation_id: first!.id, limit: 100 },
    ];
    const bodies = await Promise.all(queries.map(async (query) => (await list(query)).body.items));
    expect(bodies.slice(0, 5).map((items) => items.length)).toEqual([1, 1, 1, 1, 0]);
    for (const item of bodies[5]) expect(item.conversation_id).toBe(first!.id);
  });

  test('type, direction, time and words of the text or the caption', async () => {
    const own = await app.connect();
    const { id, contactId } = await app.conversation(own);
    const rows: [string, string, object, string][] = [
      ['inbound', 'text', { body: 'Where is my Überweisung?' }, '2026-03-01T10:00:00Z'],
      ['outbound', 'image', { id: '1', caption: 'The transfer of March' }, '2026-03-02T10:00:00Z'],
      ['outbound', 'interactive', { type: 'button', body: { text: 'Was the transfer received?' } }, '2026-03-03T10:00:00Z'],
      ['inbound', 'button', { text: 'Pineapple', payload: 'P' }, '2026-02-01T10:00:00Z'],
      [
        ...(['inbound', 'interactive'] as const),
        { type: 'button_reply', button_reply: { id: '1', title: 'Quince' } },
        '2026-02-02T10:00:00Z',
      ],
      ['inbound', 'interactive', { type: 'list_reply', list_reply: { id: '1', title: 'Medlar' } }, '2026-02-03T10:00:00Z'],
      ['inbound', 'location', { latitude: 1, longitude: 1, name: 'Mulberry Street' }, '2026-02-04T10:00:00Z'],
    ];
    for (const [direction, type, content, at] of rows)
      await storedMessages.add(app, {
        organization_id: app.tenant.organizationId,
        channel_id: own.id,
        conversation_id: id,
        contact_id: contactId,
        direction,
        type,
        status: direction === 'inbound' ? 'received' : 'sent',
        content,
        created_at: at,
      });
    const typesOf = async (query: Record<string, string | boolean>) => {
      const { status, body } = await list({ channel_id: own.id, ...query });
      expect(status).toBe(200);
      return body.items.map(({ type }: { type: string }) => type);
    };
    expect(await typesOf({ type: 'image' })).toEqual(['image']);
    expect(await typesOf({ direction: 'outbound' })).toEqual(['interactive', 'image']);
    expect(await typesOf({ since: '2026-03-02T10:00:00Z' })).toEqual(['interactive', 'image']);
    expect(await typesOf({ since: '2026-03-01', until: '2026-03-02T10:00:00Z' })).toEqual(['text']);
    expect(await typesOf({ since: '2026-03-02', until: '2026-03-03' })).toEqual(['image']);
    expect(await typesOf({ search: 'TRANSFER' })).toEqual(['interactive', 'image']);
    expect(await typesOf({ search: 'march transfer' })).toEqual(['image']);
    expect(await typesOf({ search: 'uberweisung' })).toEqual(['text']);
    expect(await typesOf({ search: 'pineapple' })).toEqual(['button']);
    expect(await typesOf({ search: 'quince' })).toEqual(['interactive']);
    expect(await typesOf({ search: 'medlar' })).toEqual(['interactive']);
    expect(await typesOf({ search: 'mulberry' })).toEqual(['location']);
    expect(await typesOf({ search: 'button' })).toEqual([]);
    expect((await list({ channel_id: own.id, search: 'transfer', include_total: true })).body.meta.total).toBe(2);
  });

  test.each([
    ['channel_id', 'x'],
    ['direction', 'sideways'],
    ['since', 'yesterday'],
    ['status', 'lost'],
    ['colour', 'red'],
  ])('%s=%s: 422 naming it', async (field, value) => {
    const { status, body } = await list({ [field]: value });
    expect([status, body.error.details[0].field]).toEqual([422, field]);
  });

  test('a filter given twice: 422', async () => {
    const { status } = await app.raw('GET', `/v1/messages?channel_id=${channel.id}&channel_id=${other.id}`);
    expect(status).toBe(422);
  });
});

describe('a word that few messages have', () => {
  const bounded = useApp({ env: { LIST_MAX_CHECKS: '1000' } });

  test('is found: a page reads a bounded number of messages and says where to go on', async () => {
    const channel = await bounded.connect();
    const { id, contactId } = await bounded.conversation(channel);
    await storedMessages.addMany(bounded, 2_600, (n) => ({
      organization_id: bounded.tenant.organizationId,
      channel_id: channel.id,
      conversation_id: id,
      contact_id: contactId,
      direction: 'outbound',
      type: 'text',
      status: 'sent',
      content: { body: [1, 2_600].includes(n) ? 'Überraschung' : 'Hello' },
      created_at: new Date(Date.UTC(2026, 0, 1) + n * 1_000).toISOString(),
    }));
    const query = { search: 'uberraschung', conversation_id: id };
    const pages: number[] = [];
    for (let cursor: string | undefined; ; ) {
      const { status, body } = await bounded.call('messages.list', { query: { ...query, ...(cursor && { cursor }) } });
      expect(status).toBe(200);
      pages.push(body.items.length);
      cursor = body.meta.next_cursor;
      if (!cursor) break;
    }
    // 1,000 a page.
    expect(pages).toEqual([1, 0, 1]);
    const counted = await bounded.call('messages.list', { query: { ...query, include_total: true } });
    expect(counted.body.meta.total).toBe(2);
  });
});
