import { beforeAll, describe, expect, test } from '@jest/globals';
import { useApp } from '../../support/app.ts';
import { person, sessionHeaders } from '../../support/factories/person.ts';

const app = useApp({});
let contactID: string;
let others: string;
const stranger = '0193ffff-3a0e-7cc4-8f4e-0242ac120004';

beforeAll(async () => {
  contactID = (await app.call('contacts.create', { body: { phone_number: '+16505550101', name: 'Ada' } })).body.data.id;
  const { key } = await app.organization();
  others = (await app.call('contacts.create', { key, body: { phone_number: '+16505550102' } })).body.data.id;
});

const write = (body: unknown, headers?: Record<string, string>) =>
  app.call('contacts.notes.create', { params: { contactID }, body: { body }, headers });
const list = async (query = {}) => (await app.call('contacts.notes.list', { params: { contactID }, query })).body;
const updates = async () => (await app.events(contactID)).filter(({ data }) => data.changed.includes('notes')).length;

test('a note is written, listed, changed and deleted, each with its event', async () => {
  const made = await write('  Spaces stay\n\tand العربية 🎉 too ');
  expect([made.status, made.body.data.author]).toEqual([201, `key:${app.tenant.keyId}`]);
  const note = made.body.data;
  expect(note.body).toBe('  Spaces stay\n\tand العربية 🎉 too ');
  const params = { contactID, noteID: note.id };
  expect(made.headers.get('location')).toBe(`/v1/contacts/${contactID}/notes/${note.id}`);
  expect((await list()).data).toEqual([note]);
  expect((await app.call('contacts.notes.get', { params })).body.data).toEqual(note);
  const changed = await app.call('contacts.notes.update', { params, body: { body: 'Better' } });
  expect(changed.body.data).toMatchObject({ id: note.id, body: 'Better', author: note.author, created_at: note.created_at });
  expect(await updates()).toBe(2);
  const same = await app.call('contacts.notes.update', { params, body: { body: 'Better' } });
  expect([same.body, await updates()]).toEqual([changed.body, 2]);
  expect((await app.call('contacts.notes.delete', { params })).status).toBe(204);
  expect([(await list()).data, await updates()]).toEqual([[], 3]);
  expect((await app.call('contacts.notes.delete', { params })).status).toBe(404);
});

test('a person is named as the author', async () => {
  const { userId } = await person(app.em(), app.tenant.organizationId);
  const { headers } = await sessionHeaders(app.em(), userId, app.base);
  const made = await app.call('contacts.notes.create', { key: null, headers, params: { contactID }, body: { body: 'By hand' } });
  expect(made.body.data.author).toBe(`user:${userId}`);
  await app.call('contacts.notes.delete', { params: { contactID, noteID: made.body.data.id } });
});

test('newest first, by pages', async () => {
  for (const n of [1, 2, 3]) await write(`Note ${n}`);
  const first = await list({ limit: 2, include_total: true });
  expect(first.data.map(({ body }: { body: string }) => body)).toEqual(['Note 3', 'Note 2']);
  expect(first.meta).toMatchObject({ has_more: true, limit: 2, total: 3 });
  const second = await list({ limit: 2, cursor: first.meta.next_cursor });
  expect(second.data.map(({ body }: { body: string }) => body)).toEqual(['Note 1']);
});

test('with an Idempotency-Key it is written once', async () => {
  const headers = { 'idempotency-key': 'note-1' };
  const [first, second] = [await write('Once', headers), await write('Once', headers)];
  expect([first.status, second.status, second.headers.get('idempotent-replayed')]).toEqual([201, 201, 'true']);
  expect(second.text).toBe(first.text);
});

test.each([
  ['none', undefined],
  ['empty', ''],
  ['too long', 'x'.repeat(10_001)],
  ['no text', 7],
  ['null', null],
  ['with NUL', 'a\u0000b'],
])('a body that is %s: 422, and nothing is written', async (_what, body) => {
  const before = await list({ include_total: true });
  const refused = await write(body);
  expect([refused.status, refused.body.error.details[0]]).toMatchObject([422, { field: 'body', location: 'body' }]);
  expect(await list({ include_total: true })).toEqual(before);
});

test('10,000 characters are not too long', async () => {
  expect((await write('x'.repeat(10_000))).status).toBe(201);
});

describe('404', () => {
  const ids = () => [others, stranger, 'no-uuid'];
  test.each([0, 1, 2])('a contact that is not ours, is nobody, or no id (%i)', async (index) => {
    const params = { contactID: ids()[index]!, noteID: stranger };
    const body = { body: 'x' };
    const replies = await Promise.all([
      app.call('contacts.notes.list', { params }),
      app.call('contacts.notes.create', { params, body }),
      app.call('contacts.notes.update', { params, body }),
      app.call('contacts.notes.delete', { params }),
    ]);
    expect(replies.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
  });

  test("another contact's note", async () => {
    const { data: other } = (await app.call('contacts.create', { body: { phone_number: '+16505550103' } })).body;
    const { data: note } = (await write('Mine')).body;
    const params = { contactID: other.id, noteID: note.id };
    expect((await app.call('contacts.notes.update', { params, body: { body: 'Theirs' } })).status).toBe(404);
    expect((await app.call('contacts.notes.delete', { params })).status).toBe(404);
    expect((await list()).data[0]).toEqual(note);
  });
});
