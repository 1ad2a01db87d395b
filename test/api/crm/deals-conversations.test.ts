import { beforeAll, expect, test } from '@jest/globals';
import { type Body, type Channel, useApp } from '../../support/app.ts';
import { person } from '../../support/factories/person.ts';
import { pipeline } from '../../support/factories/pipeline.ts';
import { storedDealConversations } from '../../support/stored/crm.ts';

const app = useApp({});
const stranger = '0193ffff-3a0e-7cc4-8f4e-0242ac120004';
let channel: Channel;

beforeAll(async () => {
  channel = await app.connect();
});

const create = async (body: object = {}): Promise<Body> =>
  (await app.call('crm.deals.create', { body: { title: 'Renewal', ...body } })).body;
const add = (conversationID: string, body: object) =>
  app.call('conversations.deals.create', { params: { conversationID }, body });
const list = async (conversationID: string, query = {}): Promise<Body> =>
  (await app.call('conversations.deals.list', { params: { conversationID }, query })).body;
const linksOf = async (dealID: string): Promise<string[]> =>
  (await app.call('crm.deals.conversations.list', { params: { dealID } })).body.items.map(({ id }: Body) => id);

test('a deal is created in a conversation: its source, and its contact the primary one', async () => {
  const { id, contactId } = await app.conversation(channel);
  const made = await add(id, { title: 'From the chat', amount_minor: '100' });
  expect([made.status, made.headers.get('location')]).toEqual([201, `/v1/crm/deals/${made.body.id}`]);
  expect(made.body).toMatchObject({
    source_conversation_id: id,
    contacts: [{ contact_id: contactId, role: '', is_primary: true }],
  });
  expect(await list(id)).toEqual({ items: [made.body], meta: { has_more: false, limit: 25 } });
  expect(await linksOf(made.body.id)).toEqual([id]);
});

test('the spec’s fields are there, each of its type, whatever the deal lacks', async () => {
  const { id } = await app.conversation(channel);
  await add(id, { title: 'Bare', currency_code: 'JPY' });
  const [item] = (await list(id)).items;
  const texts = [
    'id',
    'title',
    'status',
    'created_at',
    'updated_at',
    'expected_close_at',
    'amount_minor',
    'amount_in_home_currency',
  ];
  const codes = ['currency_code', 'display_currency', 'display_currency_minor', 'home_currency_at_write'];
  for (const name of [...texts, ...codes]) expect([name, typeof item[name]]).toEqual([name, 'string']);
  for (const name of ['display_currency_unit', 'minor_unit']) expect([name, Number.isInteger(item[name])]).toEqual([name, true]);
  for (const name of ['owner_user_id', 'stage_id']) expect([name, item[name]]).toEqual([name, null]);
  expect(item).toMatchObject({ custom_fields: {}, metadata: {}, source_conversation_id: id, expected_close_at: '' });
});

test('without deals the list is empty, not null', async () => {
  const { id } = await app.conversation(channel);
  expect(await list(id)).toEqual({ items: [], meta: { has_more: false, limit: 25 } });
});

test('a deal is linked, twice, and taken away; its contacts stay', async () => {
  const { id } = await app.conversation(channel);
  const deal = await create();
  const linked = await add(id, { deal_id: deal.id });
  expect([linked.status, linked.body]).toMatchObject([200, { id: deal.id, contacts: [], revision: 2 }]);
  expect((await add(id, { deal_id: deal.id })).body).toEqual(linked.body);
  const put = await app.call('crm.deals.conversations.put', { params: { dealID: deal.id, conversationID: id }, body: {} });
  expect([put.status, put.body]).toEqual([200, linked.body]);
  const params = { conversationID: id, dealID: deal.id };
  expect((await app.call('conversations.deals.delete', { params })).status).toBe(204);
  expect((await list(id)).items).toEqual([]);
  const noConversation = { ...params, conversationID: stranger };
  for (const operation of ['conversations.deals.delete', 'crm.deals.conversations.delete'])
    for (const [asked, message] of [
      [params, 'Link not found'],
      [noConversation, 'Conversation not found'],
      [{ ...params, dealID: stranger }, 'Deal not found'],
    ] as const) {
      const missing = await app.call(operation, { params: asked });
      expect([missing.status, missing.body.error.message]).toEqual([404, message]);
    }
  const history = (await app.call('crm.deals.history', { params: { dealID: deal.id } })).body.items;
  expect(history.map(({ changes }: Body) => changes.conversations)).toEqual([
    { from: [id], to: [] },
    { from: [], to: [id] },
    undefined,
  ]);
});

test('by pages, without those in the bin', async () => {
  const { id } = await app.conversation(channel);
  const made: Body[] = [];
  for (const title of ['One', 'Two', 'Three']) made.push((await add(id, { title })).body);
  await app.call('crm.deals.delete', { params: { dealID: made[2]!.id } });
  const first = await list(id, { limit: 1, include_total: true });
  expect([first.items, first.meta.total]).toEqual([[made[1]], 2]);
  expect((await list(id, { limit: 1, cursor: first.meta.next_cursor })).items).toEqual([made[0]]);
});

test('404 for an unknown or foreign conversation, 422 for such a deal in the body', async () => {
  const foreign = await app.organization();
  const theirs = await app.conversation(await app.connect({ tenant: foreign }));
  const { id } = await app.conversation(channel);
  const deal = await create();
  for (const conversationID of [theirs.id, stranger, 'no-uuid']) {
    expect((await app.call('conversations.deals.list', { params: { conversationID } })).status).toBe(404);
    expect((await add(conversationID, { title: 'x' })).status).toBe(404);
    expect((await add(conversationID, { deal_id: deal.id })).status).toBe(404);
  }
  const other = (await app.call('crm.deals.create', { key: foreign.key, body: { title: 'Foreign' } })).body.id;
  for (const deal_id of [other, stranger]) {
    const refused = await add(id, { deal_id });
    expect([refused.status, refused.body.error.details[0].field]).toEqual([422, 'deal_id']);
  }
});

test.each([
  ['neither a deal nor a title', {}],
  ['both', { deal_id: stranger, title: 'x' }],
  ['a deal with an amount', { deal_id: stranger, amount_minor: '1' }],
  ['an amount that is a number', { title: 'x', amount_minor: 1 }],
])('%s is a 422', async (_what, body) => {
  const { id } = await app.conversation(channel);
  expect((await add(id, body)).status).toBe(422);
  expect((await list(id)).items).toEqual([]);
});

test('a conversation of which nobody knows the contact any more makes a deal without contacts', async () => {
  const { id, contactId } = await app.conversation(channel);
  await app.call('contacts.delete', { params: { contactID: contactId } });
  expect((await add(id, { title: 'Later' })).body).toMatchObject({ source_conversation_id: id, contacts: [] });
});

test('a merge of contacts takes along the deals of both conversations', async () => {
  const [one, two] = [await app.conversation(channel), await app.conversation(channel)];
  const [first, second] = [(await add(one.id, { title: 'One' })).body, (await add(two.id, { title: 'Two' })).body];
  await add(two.id, { deal_id: first.id });
  const merged = await app.call('contacts.merge', { params: { contactID: one.contactId }, body: { contact_id: two.contactId } });
  expect(merged.status).toBe(200);
  const { items } = await list(one.id);
  expect(items.map(({ id }: Body) => id)).toEqual([second.id, first.id]);
  for (const item of items)
    expect(item).toMatchObject({
      source_conversation_id: one.id,
      contacts: [{ contact_id: one.contactId, is_primary: true }],
    });
});

test('the database refuses a stage, an owner and a conversation of another organization', async () => {
  const foreign = await app.organization();
  const theirs = await app.conversation(await app.connect({ tenant: foreign }));
  const stages = await pipeline(app.em(), foreign.organizationId);
  const { userId } = await person(app.em(), foreign.organizationId);
  const deal = await create();
  for (const [change, values] of [
    ['pipeline_id = $2, stage_id = $3', [stages.id, stages.stages.first]],
    ['owner_user_id = $2', [userId]],
    ['source_conversation_id = $2', [theirs.id]],
  ] as const)
    await expect(app.rows(`update deals set ${change} where id = $1`, [deal.id, ...values])).rejects.toThrow('foreign key');
  await expect(
    storedDealConversations.add(app, {
      organization_id: app.tenant.organizationId,
      conversation_id: theirs.id,
      deal_id: deal.id,
    }),
  ).rejects.toThrow('foreign key');
});
