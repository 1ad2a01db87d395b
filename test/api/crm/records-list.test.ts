import { beforeAll, describe, expect, test } from '@jest/globals';
import { type Body, type Channel, useApp } from '../../support/app.ts';
import { storedChannels } from '../../support/stored/channels.ts';

const app = useApp();
let channel: Channel;
const contacts: Record<string, string> = {};
let conversationID: string;
let dealID: string;
let taskID: string;

beforeAll(async () => {
  channel = await app.connect();
  for (const name of ['Ada', 'Bob', 'Cid']) {
    const { body } = await app.call('contacts.create', {
      body: {
        name,
        phone_number: `+${app.phone()}`,
        email: `${name}@example.com`,
        custom_fields: { tier: name === 'Ada' ? 'gold' : 'tin' },
      },
    });
    contacts[name] = body.data.id;
  }
  const nameless = await app.call('contacts.create', { body: { external_source: 'shop', external_id: 'C-9' } });
  contacts.nameless = nameless.body.data.id;
  conversationID = (await app.conversation(channel)).id;
  dealID = (await app.call('crm.deals.create', { body: { title: 'Roof', metadata: {} } })).body.id;
  taskID = (await app.call('crm.tasks.create', { body: { title: 'Call' } })).body.id;
});

type Query = Record<string, string | number | boolean>;
const list = (objectKind: string, query: Query = {}, key?: string) =>
  app.call('crm.records.list', { params: { objectKind }, query, key });
const namesOf = (items: Body[]) => items.map(({ display_name }) => display_name);

/** Of 2.9: what each field is, and what it is when there is nothing to say. */
const fieldsOfRecord: [name: string, isRight: (value: unknown) => boolean][] = [
  ['id', (value) => typeof value === 'string' && value.length === 36],
  ['kind', (value) => typeof value === 'string' && value !== ''],
  ['display_name', (value) => typeof value === 'string'],
  ['created_at', (value) => new Date(String(value)).toISOString() === value],
  ['updated_at', (value) => new Date(String(value)).toISOString() === value],
  ['custom_fields', (value) => JSON.stringify(value)[0] === '{'],
  ['metadata', (value) => JSON.stringify(value) === '{}'],
  ['fields', (value) => JSON.stringify(value)[0] === '{'],
  ['relationships_summary', (value) => JSON.stringify(value)[0] === '{'],
];

describe('a kind with its own table', () => {
  test.each(['contact', 'conversation', 'deal', 'task'])(
    '%s: has every field of a record, and nothing that it does not have',
    async (kind) => {
      const { status, body } = await list(kind);
      expect(status).toBe(200);
      expect(body.items.length).toBeGreaterThan(0);
      for (const item of body.items) {
        expect(Object.keys(item).sort()).toEqual(fieldsOfRecord.map(([name]) => name).sort());
        for (const [name, isRight] of fieldsOfRecord)
          expect([name, item[name], isRight(item[name])]).toEqual([name, item[name], true]);
        expect(item.kind).toBe(kind);
      }
    },
  );

  test('a contact is called by its name, or by what it has', async () => {
    const { body } = await list('contact', { sort: 'name' });
    const names = Object.fromEntries(body.items.map(({ id, display_name }: Body) => [id, display_name]));
    expect([names[contacts.Ada!], names[contacts.nameless!]]).toEqual(['Ada', 'C-9']);
  });

  test('its own columns are fields, as its own endpoint shows them', async () => {
    const own = (await app.call('contacts.get', { params: { contactID: contacts.Ada! } })).body.data;
    const filters = JSON.stringify([{ field: 'id', value: contacts.Ada }]);
    const [item] = (await list('contact', { filters })).body.items;
    const { id, custom_fields, created_at, updated_at, ...fields } = own;
    expect(item).toEqual({
      id,
      kind: 'contact',
      display_name: 'Ada',
      fields,
      custom_fields,
      metadata: {},
      relationships_summary: { company: { count: 0, has_more: false, items: [] } },
      created_at,
      updated_at,
    });
  });

  test('a conversation is called by its contact and its channel', async () => {
    const [item] = (await list('conversation')).body.items;
    const { body } = await app.call('conversations.get', { params: { conversationID } });
    const [{ name, display_phone }] = await storedChannels.all(app, channel.id, { columns: ['name', 'display_phone'] });
    const person = body.contact_name || body.contact_phone_number;
    expect([item.id, item.display_name]).toEqual([conversationID, `${person}, ${name || display_phone}`]);
    expect(item.fields).toMatchObject({ status: 'open', channel_id: channel.id, tags: [] });
  });

  test('a deal and a task are called by their titles, and show the fields of their own endpoints', async () => {
    const deal = (await app.call('crm.deals.get', { params: { dealID } })).body;
    const task = (await app.call('crm.tasks.get', { params: { taskID } })).body;
    const [shownDeal, shownTask] = [(await list('deal')).body.items[0], (await list('task')).body.items[0]];
    expect([shownDeal.display_name, shownTask.display_name]).toEqual(['Roof', 'Call']);
    expect({ ...shownDeal, ...shownDeal.fields, fields: undefined }).toMatchObject(deal);
    expect({ ...shownTask, ...shownTask.fields, fields: undefined }).toMatchObject(task);
    expect((await list('deal', { sort: 'position' })).status).toBe(422);
    expect(
      (await list('task', { sort: 'due_at', filters: '[{"field":"due_at","operator":"is_empty"}]' })).body.items,
    ).toHaveLength(1);
    const none = await list('deal', { filters: '[{"field":"expected_close_at","operator":"is_not_empty"}]' });
    expect(none.body.items).toEqual([]);
  });

  test('is searched, filtered and sorted as in its own list', async () => {
    expect(namesOf((await list('contact', { search: 'ada' })).body.items)).toEqual(['Ada']);
    expect(
      namesOf((await list('contact', { sort: '-name', filters: '[{"field":"custom_fields.tier","value":"tin"}]' })).body.items),
    ).toEqual(['Cid', 'Bob']);
    const none = await list('conversation', { filters: '[{"field":"status","value":"resolved"}]' });
    expect(none.body).toEqual({ items: [], meta: { has_more: false, limit: 25 } });
  });

  test('is paged by a cursor, which is of this kind and this order alone', async () => {
    const first = (await list('contact', { sort: 'name', limit: 3, include_total: true })).body;
    expect([namesOf(first.items), first.meta.total, first.meta.has_more]).toEqual([['C-9', 'Ada', 'Bob'], 5, true]);
    const cursor = first.meta.next_cursor;
    expect(namesOf((await list('contact', { sort: 'name', limit: 1, cursor })).body.items)).toEqual(['Cid']);
    expect((await list('contact', { sort: '-name', cursor })).status).toBe(400);
    expect((await list('conversation', { cursor })).status).toBe(400);
  });
});

describe('what is refused', () => {
  test.each(['unknown', '__proto__', 'constructor', 'Company', 'a%00b', '😀', 'x'.repeat(64)])(
    'the kind %j: 422 at the path',
    async (kind) => {
      const { status, body } = await app.raw(
        'GET',
        `/v1/crm/object-types/${encodeURIComponent(decodeURIComponent(kind))}/records`,
      );
      expect(status).toBe(422);
      if (!kind.includes('%')) expect(body.error.details).toMatchObject([{ field: 'objectKind', location: 'path' }]);
    },
  );

  test.each([
    ['filters', '{"field":"name"}', 400],
    ['filters', 'nothing', 400],
    ['filters', '[{"field":"nothing","value":"x"}]', 422],
    ['filters', JSON.stringify(Array.from({ length: 21 }, () => ({ field: 'name', value: 'x' }))), 422],
    ['sort', 'email', 422],
    ['sort', '__proto__', 422],
    ['cursor', 'abc', 400],
    ['limit', '0', 422],
    ['search', 'x'.repeat(201), 422],
  ])('%s %s', async (name, value, status) => {
    expect((await list('contact', { [name]: value })).status).toBe(status);
  });

  test("a credential without the kind's own scope: 403, which names it", async () => {
    const { key } = await app.key(app.tenant.organizationId, ['crm:read']);
    const { key: both } = await app.key(app.tenant.organizationId, ['crm:read', 'contacts:read']);
    const refused = await list('contact', {}, key);
    expect([refused.status, refused.body.error.message.includes('contacts:read')]).toEqual([403, true]);
    expect((await list('contact', {}, both)).status).toBe(200);
    expect((await list('conversation', {}, both)).body.error.message).toContain('conversations:read');
  });

  test("another organization's are not in the list", async () => {
    const { key } = await app.organization();
    expect((await list('contact', {}, key)).body.items).toEqual([]);
  });
});
