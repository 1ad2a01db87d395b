import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { checkJobs } from '../../../src/platform/ledger/check.ts';
import { type Body, type Channel, useApp } from '../../support/app.ts';
import { person } from '../../support/factories/person.ts';
import { storedJobs } from '../../support/stored/api-jobs.ts';
import { storedConversations, storedMessages } from '../../support/stored/messaging.ts';

const app = useApp();
let channel: Channel;
let conversation: { id: string; contactId: string; phone: string };
let member: string;
const stranger = '0193ffff-3a0e-7cc4-8f4e-0242ac120004';
const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();

beforeAll(async () => {
  channel = await app.connect();
  member = (await person(app.em(), app.tenant.organizationId)).userId;
});
beforeEach(async () => {
  conversation = await app.conversation(channel);
});

const at = (id: string) => ({ params: { conversationID: id } });
const get = async (id = conversation.id): Promise<Body> => (await app.call('conversations.get', at(id))).body;
const patch = (body: unknown, id = conversation.id) => app.call('conversations.update', { ...at(id), body });
const read = (body?: unknown) => app.call('conversations.read', { ...at(conversation.id), body });
const changes = async () =>
  (await app.events(conversation.id)).filter(({ type }) => type === 'conversation.updated').map(({ data }) => data);
const wakesOf = async (id = conversation.id) => {
  const jobs = await storedJobs.all(app, { subject_id: id });
  return jobs.map(({ state, pool, run_at }) => ({ state, pool, is_ahead: new Date(run_at) > new Date() }));
};
const store = async (direction: 'inbound' | 'outbound') => {
  const id = await storedMessages.add(app, {
    organization_id: app.tenant.organizationId,
    channel_id: channel.id,
    conversation_id: conversation.id,
    contact_id: conversation.contactId,
    direction,
    type: 'text',
    status: direction === 'inbound' ? 'received' : 'sent',
    content: { body: 'x' },
  });
  return id as string;
};
const unread = (count: number) => storedConversations.change(app, conversation.id, { unread_count: count });

describe('one conversation', () => {
  test('as it begins, with its window', async () => {
    const shown = await get();
    expect(shown).toMatchObject({
      id: conversation.id,
      channel_id: channel.id,
      contact_id: conversation.contactId,
      contact_phone_number: `+${conversation.phone}`,
      status: 'open',
      snoozed_until: null,
      assignee_id: null,
      priority: 'none',
      tags: [],
      custom_fields: {},
      unread_count: 0,
      last_message_at: null,
      is_window_open: true,
    });
    expect(shown.last_activity_at).toBe(shown.created_at);
    expect(Date.parse(shown.window_expires_at) - Date.parse(shown.last_inbound_at)).toBe(24 * 3_600_000);
  });

  test('a window that has closed, and one that was never open', async () => {
    const old = await app.conversation(channel, app.phone(), `clock_timestamp() - interval '25 hours'`);
    expect(await get(old.id)).toMatchObject({ is_window_open: false, window_expires_at: expect.any(String) });
    const never = await app.conversation(channel, app.phone(), 'null');
    expect(await get(never.id)).toMatchObject({ is_window_open: false, window_expires_at: null, last_inbound_at: null });
  });

  test('of an erased contact it stays, without the person and what the team wrote about them', async () => {
    await patch({ custom_fields: { order: 'A-1' }, tags: ['Kept'] });
    const noted = await app.call('conversations.notes.create', { ...at(conversation.id), body: { body: 'Very tall' } });
    expect(noted.status).toBe(201);
    await unread(3);
    await app.call('contacts.delete', { params: { contactID: conversation.contactId } });
    expect(await get()).toMatchObject({
      contact_id: null,
      contact_name: '',
      contact_phone_number: '',
      custom_fields: {},
      unread_count: 0,
      tags: ['Kept'],
    });
    expect((await app.call('conversations.notes.list', at(conversation.id))).body.items).toEqual([]);
  });
});

describe('a change', () => {
  test('of everything at once is one event that names what changed', async () => {
    const until = inHours(2);
    const { status, body } = await patch({
      snoozed_until: until,
      assignee_id: member,
      priority: 'urgent',
      tags: ['VIP', 'vip', 'Refund'],
      custom_fields: { order: 'A-1', nothing: null },
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      status: 'snoozed',
      snoozed_until: until,
      assignee_id: member,
      priority: 'urgent',
      tags: ['Refund', 'VIP'],
      custom_fields: { order: 'A-1' },
    });
    expect(await get()).toEqual(body);
    const changed = ['status', 'snoozed_until', 'assignee_id', 'priority', 'custom_fields', 'tags'];
    expect(await changes()).toEqual([{ conversation_id: conversation.id, status: 'snoozed', changed }]);
    expect(await wakesOf()).toEqual([{ state: 'queued', pool: null, is_ahead: true }]);
  });

  test('to what it is already changes nothing and tells nobody', async () => {
    const given = { snoozed_until: inHours(2), assignee_id: member, tags: ['VIP'], custom_fields: { a: { b: [1], c: 2 } } };
    const first = await patch(given);
    expect((await patch(given)).body).toEqual(first.body);
    expect((await patch({ status: 'snoozed', custom_fields: { a: { c: 2, b: [1] } } })).body).toEqual(first.body);
    expect(await changes()).toHaveLength(1);
    expect(await wakesOf()).toHaveLength(1);
  });

  test('of one field leaves the others', async () => {
    await patch({ assignee_id: member, tags: ['VIP'], custom_fields: { a: 1, b: 2 } });
    expect((await patch({ custom_fields: { b: null, c: 3 } })).body).toMatchObject({
      custom_fields: { a: 1, c: 3 },
      assignee_id: member,
      tags: ['VIP'],
    });
    expect((await patch({ assignee_id: null, tags: [] })).body).toMatchObject({ assignee_id: null, tags: [] });
    expect((await changes()).map(({ changed }) => changed)).toEqual([
      ['assignee_id', 'custom_fields', 'tags'],
      ['custom_fields'],
      ['assignee_id', 'tags'],
    ]);
  });

  test('a person who is no member of the organization is not assigned, not by the database either', async () => {
    const { organizationId } = await app.organization();
    const foreign = (await person(app.em(), organizationId)).userId;
    for (const assignee_id of [foreign, stranger]) {
      const { status, body } = await patch({ assignee_id, tags: ['Unseen'] });
      expect([status, body.error.details[0]]).toMatchObject([422, { field: 'assignee_id', location: 'body' }]);
    }
    expect(await get()).toMatchObject({ assignee_id: null, tags: [] });
    const bySql = storedConversations.change(app, conversation.id, { assignee_id: foreign });
    await expect(bySql).rejects.toThrow('conversations_member');
  });

  test('a member who leaves is the assignee of nothing any more', async () => {
    const leaving = (await person(app.em(), app.tenant.organizationId, 'agent')).userId;
    await patch({ assignee_id: leaving });
    expect((await app.call('members.delete', { params: { memberID: leaving } })).status).toBeLessThan(300);
    expect((await get()).assignee_id).toBeNull();
  });

  const long = 'x'.repeat(20_000);
  test.each<[string, unknown, string]>([
    ['nothing', {}, ''],
    ['an unknown field', { preview: 'x' }, 'preview'],
    ['an unknown status', { status: 'closed' }, 'status'],
    ['no status', { status: null }, 'status'],
    ['an unknown priority', { priority: 'low ' }, 'priority'],
    ['no priority', { priority: null }, 'priority'],
    ['an assignee that is no id', { assignee_id: 'ada' }, 'assignee_id'],
    ['tags that are no list', { tags: 'VIP' }, 'tags'],
    ['no tags', { tags: null }, 'tags'],
    ['an empty tag', { tags: [' '] }, 'tags[0]'],
    ['a tag of two lines', { tags: ['a\nb'] }, 'tags[0]'],
    ['too many tags', { tags: Array.from({ length: 51 }, (_, n) => `t${n}`) }, 'tags'],
    ['a time that is none', { snoozed_until: 'tomorrow' }, 'snoozed_until'],
    ['a time without a zone', { snoozed_until: '2099-01-01T10:00:00' }, 'snoozed_until'],
    ['a time that is past', { snoozed_until: '2020-01-01T10:00:00Z' }, 'snoozed_until'],
    ['a time too far away', { snoozed_until: inHours(367 * 24) }, 'snoozed_until'],
    ['a time with another status', { status: 'open', snoozed_until: inHours(1) }, 'snoozed_until'],
    ['custom fields that are none', { custom_fields: [] }, 'custom_fields'],
    ['custom fields that are too large', { custom_fields: { a: long } }, 'custom_fields'],
    ['a custom field of every object', { custom_fields: { constructor: 1 } }, 'custom_fields'],
  ])('%s: 422, and nothing is changed', async (_what, body, field) => {
    const before = await get();
    const refused = await patch(body);
    const [detail] = refused.body.error.details;
    expect([refused.status, detail.field ?? '', detail.location]).toEqual([422, field, 'body']);
    expect(await get()).toEqual(before);
    expect(await changes()).toEqual([]);
  });

  test('custom fields too large together: 422', async () => {
    await patch({ custom_fields: { a: 'x'.repeat(10_000) } });
    const refused = await patch({ custom_fields: { b: 'x'.repeat(10_000) } });
    expect([refused.status, refused.body.error.details[0].field]).toEqual([422, 'custom_fields']);
  });
});

test('with more custom fields than are allowed, as a merge may leave them, it can be changed and fields taken away', async () => {
  const many = Object.fromEntries(Array.from({ length: 300 }, (_, number) => [`f${number}`, number]));
  await storedConversations.change(app, conversation.id, { custom_fields: many });
  expect((await patch({ priority: 'high' })).status).toBe(200);
  expect((await patch({ custom_fields: { f0: null } })).status).toBe(200);
  expect(Object.keys((await get()).custom_fields)).toHaveLength(299);
  expect((await patch({ custom_fields: { more: 1 } })).status).toBe(422);
});

describe('snooze', () => {
  test('has exactly one job, whatever becomes of its time', async () => {
    await patch({ snoozed_until: inHours(1) });
    await patch({ snoozed_until: inHours(5) });
    expect(await wakesOf()).toHaveLength(1);
    const { run_at } = await storedJobs.one(app, { subject_id: conversation.id });
    expect((Date.parse(run_at) - Date.now()) / 3_600_000).toBeCloseTo(5, 1);
    expect(await checkJobs(app.web.deps.database)).toEqual([]);
    expect((await patch({ snoozed_until: null })).body).toMatchObject({ status: 'snoozed', snoozed_until: null });
    expect(await wakesOf()).toEqual([]);
    await patch({ snoozed_until: inHours(1) });
    expect((await patch({ status: 'pending' })).body).toMatchObject({ status: 'pending', snoozed_until: null });
    expect(await wakesOf()).toEqual([]);
    expect(await checkJobs(app.web.deps.database)).toEqual([]);
  });

  test('without a time is until the person writes', async () => {
    expect((await patch({ status: 'snoozed' })).body).toMatchObject({ status: 'snoozed', snoozed_until: null });
    expect(await wakesOf()).toEqual([]);
  });

  test('no time wakes nothing that is awake', async () => {
    expect((await patch({ snoozed_until: null })).body).toMatchObject({ status: 'open', snoozed_until: null });
    expect(await changes()).toEqual([]);
  });

  test('a message of ours does not wake it', async () => {
    await patch({ snoozed_until: inHours(1) });
    expect((await app.text(channel, conversation.phone)).status).toBe(201);
    expect(await get()).toMatchObject({ status: 'snoozed', snoozed_until: expect.any(String), preview: 'Hello' });
    expect((await changes()).at(-1)).toEqual({ conversation_id: conversation.id, status: 'snoozed', changed: ['preview'] });
  });
});

describe('read', () => {
  test('all of it, with one event', async () => {
    await unread(3);
    expect((await read()).body.unread_count).toBe(0);
    expect(await changes()).toEqual([{ conversation_id: conversation.id, status: 'open', changed: ['unread_count'] }]);
    expect([(await read({})).status, (await changes()).length]).toEqual([200, 1]);
  });

  test('up to a message: what came after it stays unread', async () => {
    const ids = [await store('inbound'), await store('inbound'), await store('outbound'), await store('inbound')];
    await unread(3);
    expect((await read({ message_id: ids[1] })).body.unread_count).toBe(1);
    expect((await read({ message_id: ids[0] })).body.unread_count).toBe(1);
    expect((await read({ message_id: ids[3] })).body.unread_count).toBe(0);
    expect((await read({ message_id: ids[0] })).body.unread_count).toBe(0);
  });

  test.each<[string, unknown]>([
    ['of no message', stranger],
    ['that is no id', 'x'],
    ['that is null', null],
    ['that is a number', 1],
  ])('up to an id %s: 422, and it stays unread', async (_what, message_id) => {
    await unread(2);
    const refused = await read({ message_id });
    expect([refused.status, refused.body.error.details[0].field]).toEqual([422, 'message_id']);
    expect((await get()).unread_count).toBe(2);
  });

  test('up to a message of another conversation: 422', async () => {
    const id = await store('inbound');
    conversation = await app.conversation(channel);
    expect((await read({ message_id: id })).status).toBe(422);
  });
});

describe('404', () => {
  test.each(['no-uuid', stranger])('%s', async (id) => {
    const replies = [
      await app.call('conversations.get', at(id)),
      await patch({ priority: 'low' }, id),
      await app.call('conversations.read', at(id)),
    ];
    expect(replies.map(({ status }) => status)).toEqual([404, 404, 404]);
  });
});
