import { expect, test } from '@jest/globals';
import { type Body, useApp } from '../../support/app.ts';
import { storedContactTags, storedTags } from '../../support/stored/contacts.ts';

const app = useApp({});
let last = 1_000;
const create = async (key?: string): Promise<Body> => {
  last += 1;
  return (await app.call('contacts.create', { key, body: { phone_number: `+1650557${last}`, name: 'Ada' } })).body.data;
};
const assign = (contactID: string, name: unknown, headers?: Record<string, string>) =>
  app.call('contacts.tags.assign', { params: { contactID }, body: { name }, headers });
const list = async (contactID: string, query = {}) =>
  (await app.call('contacts.tags.list', { params: { contactID }, query })).body;
const namesOf = async (contactID: string) => (await list(contactID)).data.map(({ name }: Body) => name);
const get = async (contactID: string) => (await app.call('contacts.get', { params: { contactID } })).body.data;
const updates = async (id: string) => (await app.events(id)).filter(({ data }) => data.changed.includes('tags')).length;

test('a tag is assigned once, shown, and taken away', async () => {
  const { id, updated_at } = await create();
  const first = await assign(id, '  Stammkunde Café ');
  expect([first.status, first.body.data.name]).toEqual([201, 'Stammkunde Café']);
  const again = await assign(id, 'STAMMKUNDE cafe');
  expect([again.status, again.body]).toEqual([200, first.body]);
  expect((await list(id)).data).toEqual([first.body.data]);
  const shown = await get(id);
  expect(shown.tags).toEqual(['Stammkunde Café']);
  expect(Date.parse(shown.updated_at)).toBeGreaterThan(Date.parse(updated_at));
  expect(await updates(id)).toBe(1);
  const params = { contactID: id, tagID: first.body.data.id };
  expect((await app.call('contacts.tags.remove', { params })).status).toBe(204);
  expect([await namesOf(id), await updates(id)]).toEqual([[], 2]);
  expect((await app.call('contacts.tags.remove', { params })).status).toBe(404);
  expect(await updates(id)).toBe(2);
});

test('the last assigned first, by pages', async () => {
  const { id } = await create();
  for (const name of ['one', 'two', 'three']) await assign(id, name);
  const { data, meta } = await list(id, { limit: 2 });
  expect(data.map(({ name }: Body) => name)).toEqual(['three', 'two']);
  const rest = await list(id, { limit: 2, cursor: meta.next_cursor });
  expect(rest.data.map(({ name }: Body) => name)).toEqual(['one']);
});

test('the same new tag for many at once is one tag', async () => {
  const people = await Promise.all(Array.from({ length: 12 }, () => create()));
  const replies = await Promise.all(people.map(({ id }, index) => assign(id, index % 2 ? 'Eilig' : 'EILIG')));
  expect(replies.map(({ status }) => status)).toEqual(people.map(() => 201));
  expect(new Set(replies.map(({ body }) => body.data.id)).size).toBe(1);
  expect(new Set(replies.map(({ body }) => body.data.name)).size).toBe(1);
});

test('the same tag for one contact at once: one 201', async () => {
  const { id } = await create();
  const replies = await Promise.all(Array.from({ length: 8 }, () => assign(id, 'Zugleich')));
  expect(replies.map(({ status }) => status).sort()).toEqual([...Array(7).fill(200), 201]);
  expect(await updates(id)).toBe(1);
});

test('a contact has at most 100', async () => {
  const { id } = await create();
  const organization_id = app.tenant.organizationId;
  const tags = await storedTags.addMany(app, 99, (n) => ({ organization_id, name: `many ${n}` }));
  await storedContactTags.addAll(
    app,
    tags.map((tag_id) => ({ organization_id, contact_id: id, tag_id })),
  );
  expect((await assign(id, 'the hundredth')).status).toBe(201);
  const refused = await assign(id, 'one more');
  expect([refused.status, refused.body.error.code]).toEqual([422, 'limit_reached']);
  expect(await storedTags.count(app, { name: 'one more' })).toBe(0);
  expect((await assign(id, 'The Hundredth')).status).toBe(200);
});

test('with an Idempotency-Key the 201 comes again', async () => {
  const { id } = await create();
  const headers = { 'idempotency-key': 'tag-1' };
  const replies = [await assign(id, 'Once', headers), await assign(id, 'Once', headers)];
  expect(replies.map(({ status }) => status)).toEqual([201, 201]);
});

test.each([
  ['none', undefined],
  ['empty', ''],
  ['spaces', '   '],
  ['too long', 'x'.repeat(65)],
  ['two lines', 'a\nb'],
  ['a line separator', 'a\u2028b'],
  ['a number', 7],
  ['a list', ['vip']],
  ['NUL', 'a\u0000'],
])('a name that is %s: 422', async (_what, name) => {
  const { id } = await create();
  const refused = await assign(id, name);
  expect([refused.status, refused.body.error.details[0].field]).toEqual([422, 'name']);
  expect(await namesOf(id)).toEqual([]);
});

test.each(['🎉', 'مهم', '重要', 'x'.repeat(64), `O'Brien; drop table tags`, '%_\\'])('%s is a name', async (name) => {
  const { id } = await create();
  expect((await assign(id, name)).status).toBe(201);
  expect(await namesOf(id)).toEqual([name]);
});

test("another organization's contact, nobody's and no id: 404", async () => {
  const { key } = await app.organization();
  const theirs = await create(key);
  const { id } = await create();
  const mine = (await assign(id, 'Mine')).body.data.id;
  for (const contactID of [theirs.id, mine, 'no-uuid']) {
    const params = { contactID, tagID: mine };
    expect((await assign(contactID, 'vip')).status).toBe(404);
    expect((await app.call('contacts.tags.list', { params })).status).toBe(404);
    expect((await app.call('contacts.tags.remove', { params })).status).toBe(404);
  }
  const foreign = await app.call('contacts.tags.remove', { key, params: { contactID: theirs.id, tagID: mine } });
  expect(foreign.status).toBe(404);
  expect(await namesOf(id)).toEqual(['Mine']);
});
