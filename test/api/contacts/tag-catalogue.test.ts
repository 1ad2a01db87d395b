import { expect, test } from '@jest/globals';
import { type Body, useApp } from '../../support/app.ts';
import { listedActs } from '../../support/listed-acts.ts';
import { storedTags } from '../../support/stored/contacts.ts';

const app = useApp({});
let last = 1_000;
const tagged = async (...names: string[]): Promise<string> => {
  last += 1;
  const { id } = (await app.call('contacts.create', { body: { phone_number: `+1650558${last}` } })).body.data;
  for (const name of names) await app.call('contacts.tags.assign', { params: { contactID: id }, body: { name } });
  return id;
};
const make = (name: string, key?: string) => app.call('tags.create', { body: { name }, key });
const list = async (query = {}) => (await app.call('tags.list', { query })).body;
const tagsOf = async (contactID: string) => (await app.call('contacts.get', { params: { contactID } })).body.data.tags;
const rename = (tagID: string, name: string, key?: string) => app.call('tags.update', { key, params: { tagID }, body: { name } });

test('made once, and counted with the contacts that have it', async () => {
  const made = await make('Händler');
  expect([made.status, made.body.contacts, made.headers.get('location')]).toEqual([201, 0, `/v1/tags/${made.body.id}`]);
  expect((await app.call('tags.get', { params: { tagID: made.body.id } })).body).toEqual(made.body);
  await tagged('HANDLER', 'other');
  await tagged('händler');
  const again = await make('handler');
  expect([again.status, again.body]).toEqual([200, { ...made.body, contacts: 2 }]);
  const { items, meta } = await list({ include_total: true });
  expect(items.map(({ name, contacts }: Body) => [name, contacts])).toEqual([
    ['other', 1],
    ['Händler', 2],
  ]);
  expect(meta.total).toBe(2);
  const first = await list({ limit: 1 });
  expect((await list({ limit: 1, cursor: first.meta.next_cursor })).items).toEqual([{ ...made.body, contacts: 2 }]);
});

test('renamed for everybody, also to another spelling of itself', async () => {
  const id = await tagged('before');
  const { id: tagID } = (await make('before')).body;
  expect((await rename(tagID, 'Before')).body).toMatchObject({ id: tagID, name: 'Before', contacts: 1 });
  expect((await rename(tagID, 'after')).status).toBe(200);
  expect(await tagsOf(id)).toEqual(['after']);
});

test('to the name of another: 409 with its id', async () => {
  const [one, two] = [(await make('first name')).body, (await make('second name')).body];
  const refused = await rename(one.id, 'SECOND name');
  expect([refused.status, refused.body.error.details[0].value]).toEqual([409, two.id]);
  expect((await make('first name')).body.name).toBe('first name');
});

test('deleted: nobody has it, and no contact tells of it', async () => {
  const id = await tagged('fading', 'staying');
  const { id: tagID } = (await make('fading')).body;
  const before = (await app.events(id)).length;
  expect((await app.call('tags.delete', { params: { tagID } })).status).toBe(204);
  expect(await tagsOf(id)).toEqual(['staying']);
  expect(await app.events(id)).toHaveLength(before);
  expect((await app.call('tags.delete', { params: { tagID } })).status).toBe(404);
  const [act] = await listedActs(app, { subject: `tag:${tagID}` }, { columns: ['action'] });
  expect(act.action).toBe('tags.delete');
});

test("another organization's: 404, and its own of the same name beside it", async () => {
  const { key } = await app.organization();
  const mine = (await make('shared')).body;
  expect((await rename(mine.id, 'Stolen', key)).status).toBe(404);
  expect((await app.call('tags.delete', { key, params: { tagID: mine.id } })).status).toBe(404);
  const theirs = await make('shared', key);
  expect([theirs.status, theirs.body.id === mine.id]).toEqual([201, false]);
});

test('an organization has at most ten thousand', async () => {
  const { organizationId, key } = await app.organization();
  await storedTags.addMany(app, 9_999, (n) => ({ organization_id: organizationId, name: `tag ${n}` }));
  const replies = await Promise.all(['x', 'y', 'z'].map((name) => make(name, key)));
  expect(replies.map(({ status }) => status).sort()).toEqual([201, 422, 422]);
  expect(replies.find(({ status }) => status === 422)!.body.error.code).toBe('limit_reached');
  expect((await make('TAG 1', key)).status).toBe(200);
});

test('many at once end as one', async () => {
  const replies = await Promise.all(Array.from({ length: 10 }, () => make('at once')));
  expect(new Set(replies.map(({ body }) => body.id)).size).toBe(1);
  expect(replies.filter(({ status }) => status === 201)).toHaveLength(1);
});
