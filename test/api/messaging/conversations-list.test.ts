import { beforeAll, describe, expect, test } from '@jest/globals';
import { type Body, type Channel, type Tenant, useApp } from '../../support/app.ts';
import { person } from '../../support/factories/person.ts';
import { storedContacts } from '../../support/stored/contacts.ts';
import { storedConversations } from '../../support/stored/messaging.ts';
import { ago } from '../../support/stored/times.ts';

const app = useApp();
let channel: Channel;
let other: Channel;
let member: string;
/** By name, the one with the last activity first. */
let ids: Record<string, string>;
let contacts: Record<string, string>;
const all = ['ann', 'bob', 'cid', 'dee', 'eve'];

beforeAll(async () => {
  channel = await app.connect();
  other = await app.connect();
  member = (await person(app.em(), app.tenant.organizationId)).userId;
  ids = {};
  contacts = {};
  for (const [index, name] of all.entries()) {
    const made = await app.conversation(name === 'eve' ? other : channel);
    ids[name] = made.id;
    contacts[name] = made.contactId;
    await storedContacts.change(app, made.contactId, { name: `${name} Müller-${index}` });
    await storedConversations.change(app, made.id, { last_message_at: ago(index, 'hour') });
  }
  await change('ann', { assignee_id: member, tags: ['VIP'], custom_fields: { tier: 'gold', seats: 3 } });
  await change('bob', { status: 'pending', priority: 'high', tags: ['VIP', 'Refund'] });
  await change('cid', { status: 'resolved', assignee_id: member });
  await change('dee', { snoozed_until: new Date(Date.now() + 3_600_000).toISOString() });
  await storedConversations.change(app, ids.bob, { unread_count: 2 });
  await storedConversations.change(app, ids.cid, { last_inbound_at: ago(2, 'day') });
  await storedConversations.change(app, ids.dee, { last_inbound_at: null });
});

const change = (name: string, body: object) => app.call('conversations.update', { params: { conversationID: ids[name]! }, body });
const list = (query: Record<string, string | number | boolean> = {}, key?: string) =>
  app.call('conversations.list', { query, key });
const namesIn = (items: Body[]) => items.map(({ id }) => all.find((name) => ids[name] === id));
const filtered = (...filters: object[]) => ({ filters: JSON.stringify(filters) });
const found = async (query: Record<string, string | number | boolean>) => {
  const { status, body } = await list(query);
  expect([status, body.meta.has_more]).toEqual([200, false]);
  return namesIn(body.items);
};

describe('what is listed', () => {
  test('all, the last activity first, with the names of the contacts', async () => {
    const { body } = await list({ include_total: true });
    expect(namesIn(body.items)).toEqual(all);
    expect(body.items[0].contact_name).toBe('ann Müller-0');
    expect(body.meta).toEqual({ has_more: false, limit: 25, total: 5 });
  });

  test('by pages of any size, each once', async () => {
    for (const limit of [1, 2, 4]) {
      const seen: Body[] = [];
      for (let cursor: string | undefined; ; ) {
        const { body } = await list({ limit, sort: 'last_activity_at', ...(cursor && { cursor }) });
        seen.push(...body.items);
        cursor = body.meta.next_cursor;
        if (!cursor) break;
      }
      expect(namesIn(seen)).toEqual(all.toReversed());
    }
  });

  test.each<[string, () => object[], string[]]>([
    ['a status', () => [{ field: 'status', value: 'open' }], ['ann', 'eve']],
    ['statuses', () => [{ field: 'status', operator: 'in', value: ['pending', 'snoozed'] }], ['bob', 'dee']],
    ['no such status', () => [{ field: 'status', operator: 'neq', value: 'open' }], ['bob', 'cid', 'dee']],
    ['an assignee', () => [{ field: 'assignee_id', value: member }], ['ann', 'cid']],
    ['another assignee', () => [{ field: 'assignee_id', operator: 'neq', value: member }], ['bob', 'dee', 'eve']],
    ['nobody', () => [{ field: 'assignee_id', operator: 'is_empty' }], ['bob', 'dee', 'eve']],
    ['anybody', () => [{ field: 'assignee_id', operator: 'is_not_empty' }], ['ann', 'cid']],
    ['a channel', () => [{ field: 'channel_id', value: other.id }], ['eve']],
    ['a contact', () => [{ field: 'contact_id', value: contacts.dee }], ['dee']],
    ['a tag, whatever its case', () => [{ field: 'tags', value: 'vip' }], ['ann', 'bob']],
    ['without a tag', () => [{ field: 'tags', operator: 'is_empty' }], ['cid', 'dee', 'eve']],
    ['a priority', () => [{ field: 'priority', operator: 'in', value: ['high', 'urgent'] }], ['bob']],
    ['what is unread', () => [{ field: 'is_unread', value: true }], ['bob']],
    ['what is read', () => [{ field: 'is_unread', operator: 'neq', value: true }], ['ann', 'cid', 'dee', 'eve']],
    ['an open window', () => [{ field: 'is_window_open', value: true }], ['ann', 'bob', 'eve']],
    ['no open window', () => [{ field: 'is_window_open', value: false }], ['cid', 'dee']],
    ['a custom field', () => [{ field: 'custom_fields.tier', value: 'gold' }], ['ann']],
    ['a custom number', () => [{ field: 'custom_fields.seats', operator: 'gte', value: 3 }], ['ann']],
    [
      'two things',
      () => [
        { field: 'status', value: 'open' },
        { field: 'assignee_id', value: member },
      ],
      ['ann'],
    ],
    [
      'a time',
      () => [{ field: 'last_activity_at', operator: 'lt', value: new Date(Date.now() - 2.5 * 3_600_000).toISOString() }],
      ['dee', 'eve'],
    ],
  ])('by %s', async (_what, filters, names) => {
    expect(await found(filtered(...filters()))).toEqual(names);
  });

  test.each([
    ['a name', 'cid', ['cid']],
    ['without accents', 'muller', all],
    ['two words', 'eve müller', ['eve']],
    ['the beginning of a short word', 'de', ['dee']],
    ['nobody', 'zoe', []],
  ])('search: %s', async (_what, search, names) => {
    expect(await found({ search })).toEqual(names);
  });

  test('search by phone, within a status', async () => {
    const { phone_number } = (await app.call('contacts.get', { params: { contactID: contacts.ann! } })).body.data;
    expect(await found({ search: phone_number })).toEqual(['ann']);
    expect(await found({ search: phone_number, ...filtered({ field: 'status', value: 'resolved' }) })).toEqual([]);
  });

  test.each<[string, Record<string, string>, number, string]>([
    ['filters that are no JSON', { filters: '[' }, 400, ''],
    ['a cursor of another order', { cursor: 'x' }, 400, ''],
    ['a sort that has no index', { sort: 'created_at' }, 422, 'sort'],
    ['an unknown field', filtered({ field: 'name', value: 'x' }), 422, 'filters[0].field'],
    ['an unknown status', filtered({ field: 'status', value: 'closed' }), 422, 'filters[0].value'],
    ['a status that is no text', filtered({ field: 'status', value: null }), 422, 'filters[0].value'],
    ['a part of a status', filtered({ field: 'status', operator: 'contains', value: 'o' }), 422, 'filters[0].operator'],
    ['a status that is empty', filtered({ field: 'status', operator: 'is_empty' }), 422, 'filters[0].operator'],
    ['an assignee that is no id', filtered({ field: 'assignee_id', value: 'ada' }), 422, 'filters[0].value'],
    ['an empty channel', filtered({ field: 'channel_id', operator: 'is_empty' }), 422, 'filters[0].operator'],
    ['a text for a boolean', filtered({ field: 'is_unread', value: 'true' }), 422, 'filters[0].value'],
    ['booleans in a list', filtered({ field: 'is_unread', operator: 'in', value: [true] }), 422, 'filters[0].operator'],
    ['an offset', { offset: '10' }, 422, 'offset'],
  ])('%s is refused', async (_what, query, status, field) => {
    const reply = await list(query);
    expect([reply.status, reply.body.error.details?.[0]?.field ?? '']).toEqual([status, field]);
  });
});

describe('counts', () => {
  const counts = async (query: Record<string, string> = {}, key?: string) =>
    (await app.call('conversations.counts', { query, key })).body;

  test('by status', async () => {
    expect(await counts()).toEqual({ open: 2, pending: 1, snoozed: 1, resolved: 1, total: 5 });
  });

  test('of those that filters and search find', async () => {
    const own = filtered({ field: 'assignee_id', value: member });
    expect(await counts(own)).toEqual({ open: 1, pending: 0, snoozed: 0, resolved: 1, total: 2 });
    expect(await counts({ ...own, search: 'ann' })).toMatchObject({ open: 1, total: 1 });
  });

  test('of another organization: none', async () => {
    const { key } = await app.organization();
    expect(await counts({}, key)).toEqual({ open: 0, pending: 0, snoozed: 0, resolved: 0, total: 0 });
  });

  test('a fault in the filters is refused as in the list', async () => {
    const reply = await app.call('conversations.counts', { query: filtered({ field: 'status', value: 'closed' }) });
    expect([reply.status, reply.body.error.details[0].field]).toEqual([422, 'filters[0].value']);
  });
});

test('another organization has a list of its own', async () => {
  const tenant: Tenant = await app.organization();
  expect((await list({}, tenant.key)).body.items).toEqual([]);
  expect((await list(filtered({ field: 'assignee_id', value: member }), tenant.key)).body.items).toEqual([]);
});
