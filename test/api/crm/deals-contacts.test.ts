import { beforeAll, describe, expect, test } from '@jest/globals';
import { type Body, useApp } from '../../support/app.ts';
import { storedContacts } from '../../support/stored/contacts.ts';
import { storedDealContacts, storedDeals, storedHistory } from '../../support/stored/crm.ts';

const app = useApp({});
const stranger = '0193ffff-3a0e-7cc4-8f4e-0242ac120004';
let people: string[];

const contact = async (key = app.tenant.key): Promise<string> =>
  (await app.call('contacts.create', { key, body: { phone_number: `+${app.phone()}` } })).body.data.id;
const create = async (body: object = {}): Promise<Body> =>
  (await app.call('crm.deals.create', { body: { title: 'Renewal', ...body } })).body;
const put = (dealID: string, contactID: string, body: object = {}) =>
  app.call('crm.deals.contacts.put', { params: { dealID, contactID }, body });
const remove = (dealID: string, contactID: string) => app.call('crm.deals.contacts.delete', { params: { dealID, contactID } });
const dealsOf = async (contactID: string, query = {}): Promise<Body> =>
  (await app.call('contacts.deals.list', { params: { contactID }, query })).body;
const eventsOf = async (id: string) => (await app.events(id)).map(({ type }) => type);
const linksIn = async (dealID: string) =>
  (await app.call('crm.deals.history', { params: { dealID } })).body.items.map(({ changes }: Body) => changes.contacts);

beforeAll(async () => {
  people = [await contact(), await contact(), await contact()];
});

test('the first is the primary one, a new primary one takes its place, and the history tells both', async () => {
  const [ada, bob] = people as [string, string];
  const deal = await create();
  const linked = await put(deal.id, ada, { role: 'Buyer' });
  const first = { contact_id: ada, role: 'Buyer', is_primary: true };
  expect([linked.status, linked.body]).toMatchObject([200, { contacts: [first], revision: 2 }]);
  const second = { contact_id: bob, role: '', is_primary: false };
  expect((await put(deal.id, bob)).body.contacts).toEqual([first, second]);
  const { body } = await put(deal.id, bob, { is_primary: true });
  const after = [
    { ...second, is_primary: true },
    { ...first, is_primary: false },
  ];
  expect(body.contacts).toEqual(after);
  expect(await linksIn(deal.id)).toEqual([
    { from: [second, first], to: after },
    { from: [], to: [second] },
    { from: [], to: [first] },
    undefined,
  ]);
  expect(await eventsOf(deal.id)).toEqual(['deal.created', 'deal.updated', 'deal.updated', 'deal.updated']);
});

test('linked again as it is, nothing is written', async () => {
  const [ada] = people as [string];
  const deal = await create({ contacts: [{ contact_id: ada, role: 'Buyer' }] });
  for (const body of [{}, { role: 'Buyer' }, { is_primary: true }]) expect((await put(deal.id, ada, body)).body).toEqual(deal);
  expect(await eventsOf(deal.id)).toEqual(['deal.created']);
});

test('taken away: 204, and 404 the next time', async () => {
  const [ada] = people as [string];
  const deal = await create({ contacts: [{ contact_id: ada }] });
  expect((await remove(deal.id, ada)).status).toBe(204);
  expect((await app.call('crm.deals.get', { params: { dealID: deal.id } })).body).toMatchObject({ contacts: [], revision: 2 });
  expect((await remove(deal.id, ada)).status).toBe(404);
});

test('where the primary one is taken away, the oldest that is left takes its place; after another nobody does', async () => {
  const [ada, bob, cy] = people as [string, string, string];
  const deal = await create({ contacts: [{ contact_id: ada }] });
  for (const [id, role] of [
    [cy, 'Buyer'],
    [bob, ''],
  ] as const)
    await put(deal.id, id, { role });
  const get = async () => (await app.call('crm.deals.get', { params: { dealID: deal.id } })).body;
  expect((await remove(deal.id, ada)).status).toBe(204);
  const [first, second] = [
    { contact_id: cy, role: 'Buyer', is_primary: true },
    { contact_id: bob, role: '', is_primary: false },
  ];
  expect(await get()).toMatchObject({ contacts: [first, second], revision: 4 });
  const gone = { contact_id: ada, role: '', is_primary: true };
  expect((await linksIn(deal.id))[0]).toEqual({ from: [gone, { ...first, is_primary: false }], to: [first] });
  await remove(deal.id, bob);
  expect((await linksIn(deal.id))[0]).toEqual({ from: [second], to: [] });
  expect((await get()).contacts).toEqual([first]);
});

test('the deals of a contact, newest first, by pages, without those in the bin', async () => {
  const ada = await contact();
  const made: Body[] = [];
  for (const title of ['One', 'Two', 'Three', 'Four']) made.push(await create({ title, contacts: [{ contact_id: ada }] }));
  await app.call('crm.deals.delete', { params: { dealID: made[1]!.id } });
  const first = await dealsOf(ada, { limit: 2, include_total: true });
  expect(first.items).toEqual([made[3], made[2]]);
  expect(first.meta).toMatchObject({ has_more: true, limit: 2, total: 3 });
  const second = await dealsOf(ada, { limit: 2, cursor: first.meta.next_cursor });
  expect([second.items, second.meta.has_more]).toEqual([[made[0]], false]);
  expect((await dealsOf(ada, { display_currency: 'USD' })).items).toHaveLength(3);
  const refused = await app.call('contacts.deals.list', {
    params: { contactID: people[0]! },
    query: { cursor: first.meta.next_cursor },
  });
  expect(refused.status).toBe(400);
});

test('100 parallel links of two contacts to one deal: one primary, no error', async () => {
  const deal = await create();
  const replies = await Promise.all(
    Array.from({ length: 100 }, (_, n) => put(deal.id, people[n % 3]!, { role: `${n}`, is_primary: n % 2 === 0 })),
  );
  expect([...new Set(replies.map(({ status }) => status))]).toEqual([200]);
  const { contacts } = (await app.call('crm.deals.get', { params: { dealID: deal.id } })).body;
  expect(contacts).toHaveLength(3);
  expect(contacts.filter(({ is_primary }: Body) => is_primary).length).toBeLessThan(2);
});

describe('404', () => {
  test('a deal or a contact that is not ours, is nobody, or no id', async () => {
    const deal = await create();
    const { key } = await app.organization();
    const foreign = (await app.call('crm.deals.create', { key, body: { title: 'Foreign' } })).body.id;
    for (const id of [await contact(key), stranger, 'no-uuid']) expect((await put(deal.id, id)).status).toBe(404);
    for (const id of [foreign, stranger, 'no-uuid']) expect((await put(id, people[0]!)).status).toBe(404);
    expect((await app.call('contacts.deals.list', { params: { contactID: stranger } })).status).toBe(404);
    expect((await app.call('crm.deals.get', { params: { dealID: deal.id } })).body).toEqual(deal);
  });
});

test.each([
  ['a role of 101 characters', { role: 'x'.repeat(101) }, 'role'],
  ['a role that is a number', { role: 7 }, 'role'],
  ['is_primary that is a text', { is_primary: 'maybe' }, 'is_primary'],
])('%s is a 422', async (_what, body, field) => {
  const deal = await create();
  const refused = await put(deal.id, people[0]!, body);
  expect([refused.status, refused.body.error.details[0].field]).toEqual([422, field]);
});

test('two primary contacts, or one contact twice, are a 422', async () => {
  const [ada, bob] = people;
  for (const contacts of [
    [
      { contact_id: ada, is_primary: true },
      { contact_id: bob, is_primary: true },
    ],
    [{ contact_id: ada }, { contact_id: ada }],
  ])
    expect((await app.call('crm.deals.create', { body: { title: 'x', contacts } })).status).toBe(422);
});

test('a deal has at most 100 contacts', async () => {
  const deal = await create();
  const organization_id = app.tenant.organizationId;
  const others = await storedContacts.addMany(app, 100, () => ({ organization_id, name: 'n' }));
  await storedDealContacts.addAll(
    app,
    others.map((contact_id) => ({ organization_id, deal_id: deal.id, contact_id })),
  );
  const refused = await put(deal.id, people[0]!);
  expect([refused.status, refused.body.error.code]).toEqual([422, 'limit_reached']);
});

test('a new deal has at most 100 contacts, that of its conversation among them', async () => {
  const conversation = await app.conversation(await app.connect());
  const made = await storedContacts.addMany(app, 100, () => ({ organization_id: app.tenant.organizationId, name: 'n' }));
  const contacts = made.map((contact_id) => ({ contact_id }));
  const count = () => storedDeals.count(app, { source_conversation_id: conversation.id });
  const ask = (given: object[]) =>
    app.call('crm.deals.create', { body: { title: 'Many', contacts: given, source_conversation_id: conversation.id } });
  const refused = await ask(contacts);
  expect(refused.status).toBe(422);
  expect(refused.body.error.code).toBe('limit_reached');
  expect(await count()).toBe(0);
  for (const given of [contacts.slice(1), [...contacts.slice(1), { contact_id: conversation.contactId }]])
    expect((await ask(given)).body.contacts).toHaveLength(100);
});

test('the database refuses a link to a contact or a deal of another organization', async () => {
  const deal = await create();
  const { key, organizationId } = await app.organization();
  const foreign = await contact(key);
  for (const [organization, contactId] of [
    [app.tenant.organizationId, foreign],
    [organizationId, foreign],
  ])
    await expect(
      storedDealContacts.add(app, { organization_id: organization, deal_id: deal.id, contact_id: contactId }),
    ).rejects.toThrow('foreign key');
});

describe('a merge of contacts', () => {
  test('keeps one primary, the survivor’s role, and the history replays to what there is', async () => {
    const [one, two, third] = [await contact(), await contact(), await contact()];
    const [survivor, merged] = [one, two].sort() as [string, string];
    const link = (contact_id: string, role: string, is_primary: boolean) => ({ contact_id, role, is_primary });
    const deals = [
      await create({ contacts: [link(merged, 'Buyer', true), link(survivor, '', false)] }),
      await create({ contacts: [link(merged, 'Buyer', false), link(survivor, 'User', true)] }),
      await create({ contacts: [link(third, '', true), link(merged, 'Payer', false)] }),
    ];
    const asked = await app.call('contacts.merge', { params: { contactID: survivor }, body: { contact_id: merged } });
    expect(asked.status).toBe(200);
    const expected = [
      [link(survivor, 'Buyer', true)],
      [link(survivor, 'User', true)],
      [link(third, '', true), link(survivor, 'Payer', false)],
    ];
    for (const [index, { id }] of deals.entries()) {
      const { contacts, revision } = (await app.call('crm.deals.get', { params: { dealID: id } })).body;
      expect([contacts, revision]).toEqual([expected[index], 2]);
      const changes: Body[] = (await linksIn(id)).reverse();
      const replayed = changes.reduce<Body[]>((left, { from, to }) => {
        const gone = new Set(from.map(({ contact_id }: Body) => contact_id));
        return [...left.filter(({ contact_id }) => !gone.has(contact_id)), ...to];
      }, []);
      expect(replayed.sort((a, b) => Number(b.is_primary) - Number(a.is_primary))).toEqual(contacts);
    }
    expect((await dealsOf(survivor)).items).toHaveLength(3);
  });

  test('and changes of its deals at the same time: no error but for what is gone', async () => {
    for (let round = 0; round < 5; round++) {
      const [survivor, merged] = [await contact(), await contact()].sort() as [string, string];
      const deal = await create({ contacts: [{ contact_id: merged }] });
      const replies = await Promise.all([
        app.call('contacts.merge', { params: { contactID: survivor }, body: { contact_id: merged } }),
        ...Array.from({ length: 4 }, (_, n) => put(deal.id, survivor, { role: `${n}`, is_primary: true })),
        app.call('crm.deals.update', { params: { dealID: deal.id }, body: { title: 'Meanwhile' } }),
        put(deal.id, merged, { role: 'late' }),
      ]);
      const statuses = replies.map(({ status }) => status);
      expect(statuses.slice(0, -1)).toEqual(Array(6).fill(200));
      expect([200, 404]).toContain(statuses.at(-1));
      const { contacts, revision } = (await app.call('crm.deals.get', { params: { dealID: deal.id } })).body;
      expect(contacts).toMatchObject([{ contact_id: survivor, is_primary: true }]);
      expect(await storedHistory.count(app, { object_id: deal.id })).toBe(revision);
    }
  });
});

test('a contact that is null is a 422 at its place', async () => {
  const reply = await app.call('crm.deals.create', {
    body: { title: 'Null', contacts: [{ contact_id: people[0], is_primary: true }, null] },
  });
  expect([reply.status, reply.body.error.details[0].field]).toEqual([422, 'contacts[1]']);
});
